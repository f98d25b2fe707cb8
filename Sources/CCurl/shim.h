#pragma once
#include <curl/curl.h>

// Swift cannot call C functions with variable arguments.
static inline CURLcode ccurl_set_number(CURL *handle, CURLoption option, long value) {
  return curl_easy_setopt(handle, option, value);
}

static inline CURLcode ccurl_set_text(CURL *handle, CURLoption option, const char *value) {
  return curl_easy_setopt(handle, option, value);
}

static inline CURLcode ccurl_set_list(CURL *handle, CURLoption option, struct curl_slist *value) {
  return curl_easy_setopt(handle, option, value);
}

static inline CURLcode ccurl_set_writer(CURL *handle, curl_write_callback writer, void *place) {
  CURLcode code = curl_easy_setopt(handle, CURLOPT_WRITEFUNCTION, writer);
  return code != CURLE_OK ? code : curl_easy_setopt(handle, CURLOPT_WRITEDATA, place);
}

static inline long ccurl_status(CURL *handle) {
  long status = 0;
  curl_easy_getinfo(handle, CURLINFO_RESPONSE_CODE, &status);
  return status;
}

// The buffer has CURL_ERROR_SIZE bytes and lives until the end of the handle.
static inline CURLcode ccurl_set_error_buffer(CURL *handle, char *buffer) {
  return curl_easy_setopt(handle, CURLOPT_ERRORBUFFER, buffer);
}

// The text belongs to the handle; null for none.
static inline const char *ccurl_content_type(CURL *handle) {
  char *text = 0;
  curl_easy_getinfo(handle, CURLINFO_CONTENT_TYPE, &text);
  return text;
}

// Where the answer redirects to; the text belongs to the handle; null for none.
static inline const char *ccurl_redirect(CURL *handle) {
  char *text = 0;
  curl_easy_getinfo(handle, CURLINFO_REDIRECT_URL, &text);
  return text;
}
