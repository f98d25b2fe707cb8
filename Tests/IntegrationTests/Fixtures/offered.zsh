# Prints what zsh offers for the last word of a command line.
#   zsh -f offered.zsh FOLDER LINE
# FOLDER has the completion functions, such as _lsopen. An interactive zsh gets LINE and a tab; it writes down what is
# added to its list, and ends.
if [[ $1 == --inside ]]; then
  PROMPT=
  fpath=($2 $fpath)
  autoload -Uz compinit
  compinit -u -D
  written=$2/offered
  : >$written
  bindkey '^I' complete-word
  compadd() {
    # Such a call adds nothing.
    if [[ ${@[1,(i)(-|--)]} == *-(O|A|D)\ * ]]; then
      builtin compadd "$@"
      return
    fi
    local -a matching
    builtin compadd -A matching "$@"
    (( $#matching == 0 )) || print -rl -- $matching >>$written
    builtin compadd "$@"
  }
  comppostfuncs=(exit)
  return
fi
self=${0:A}
zmodload zsh/zpty || exit 1
zpty shell zsh -f -i
zpty -w shell "source ${(q)self} --inside ${(q)1}"
zpty -w -n shell "$2"$'\t'
while zpty -r shell line; do :; done
cat "$1/offered"
