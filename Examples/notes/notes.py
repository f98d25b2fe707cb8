from launchservices import Handler

class Notes(Handler):
    def open(self, url, options):
        print("open", url, flush=True)
        return True  # whether it was handled

Notes().run()
