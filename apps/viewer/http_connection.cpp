#include "apps/viewer/http_connection.hpp"

#include <fmt/core.h>

#include <algorithm>

#include "apps/viewer/page_files.hpp"
#include "stickslip/version.hpp"

namespace stickslip::viewer {

namespace {

constexpr std::uint32_t longest_header = 8192;
constexpr auto time_for_request = std::chrono::seconds(5);
constexpr auto time_for_answer = std::chrono::seconds(60);

std::string_view view(beast::string_view text) {
  return {text.data(), text.size()};
}

/// The value of a field that is there exactly once.
std::optional<std::string_view> only_value(const Request& request, http::field field) {
  const auto range = request.equal_range(field);
  if (range.first == range.second || std::next(range.first) != range.second) return std::nullopt;
  return view(range.first->value());
}

/// What was read is no request, rather than that the connection broke or took too long.
bool is_of_its_form(const beast::error_code& error) {
  return error.category() == beast::error_code(http::error::bad_method).category() &&
         error != http::error::end_of_stream && error != http::error::partial_message;
}

template <class Response>
void add_headers(Response& response) {
  response.set(http::field::server, "stickslip");
  response.set(http::field::cache_control, "no-store");
  response.set("Content-Security-Policy",
               "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data: "
               "blob:; connect-src 'self'; font-src 'self'; base-uri 'none'; form-action 'none'; "
               "frame-ancestors 'none'");
  response.set("X-Content-Type-Options", "nosniff");
  response.set("X-Frame-Options", "DENY");
  response.set("Referrer-Policy", "no-referrer");
  response.set("Cross-Origin-Opener-Policy", "same-origin");
  response.set("Cross-Origin-Resource-Policy", "same-origin");
  response.keep_alive(false);
}

}  // namespace

HttpConnection::HttpConnection(Tcp::socket socket, House& house)
    : stream_(std::move(socket)), house_(house), buffer_(2 * longest_header) {}

void HttpConnection::start() {
  parser_.emplace();
  parser_->header_limit(longest_header);
  parser_->body_limit(std::uint64_t{0});
  stream_.expires_after(time_for_request);
  http::async_read(stream_, buffer_, *parser_,
                   [self = shared_from_this()](beast::error_code error, std::size_t) {
                     if (!error) return self->answer();
                     if (!is_of_its_form(error)) return self->drop();
                     self->refuse(error == http::error::header_limit
                                      ? http::status::request_header_fields_too_large
                                      : http::status::bad_request,
                                  "that is no request for this server");
                   });
}

void HttpConnection::drop() {
  stream_.close();
}

void HttpConnection::answer() {
  const Request& request = parser_->get();
  const auto host = only_value(request, http::field::host);
  if (!host || !house_.hosts.allows_host(*host)) {
    return refuse(http::status::forbidden, "this server goes by another name");
  }
  if (request.method() != http::verb::get && request.method() != http::verb::head) {
    return refuse(http::status::method_not_allowed, "GET and HEAD only");
  }
  const std::optional<Target> target = parse_target(view(request.target()));
  if (!target) return refuse(http::status::bad_request, "that is no path here");
  answer_target(*target);
}

void HttpConnection::answer_target(const Target& target) {
  const bool has_token = is_same_token(target.token, house_.token);
  if (target.path == "/socket") return upgrade(target);
  if (target.path == "/status") {
    if (!has_token) return refuse(http::status::forbidden, "the token is not that of this launch");
    return send(http::status::ok, "application/json",
                fmt::format("{{\"version\":\"{}\",\"protocol\":1}}", version));
  }
  constexpr std::string_view tables = "/recordings/";
  if (target.path.starts_with(tables)) {
    if (!has_token) return refuse(http::status::forbidden, "the token is not that of this launch");
    return send_table(target.path.substr(tables.size()));
  }
  send_page_file(target.path == "/" ? "index.html" : std::string_view(target.path).substr(1));
}

void HttpConnection::upgrade(const Target& target) {
  const Request& request = parser_->get();
  if (!websocket::is_upgrade(request)) {
    return refuse(http::status::upgrade_required, "this is for a WebSocket");
  }
  const auto origin = only_value(request, http::field::origin);
  if (!origin || !house_.hosts.allows_origin(*origin)) {
    return refuse(http::status::forbidden, "a page from elsewhere may not connect");
  }
  if (!is_same_token(target.token, house_.token)) {
    return refuse(http::status::forbidden, "the token is not that of this launch");
  }
  if (!house_.audience.has_room()) {
    return refuse(http::status::service_unavailable, "there are too many viewers");
  }
  const auto viewer = std::make_shared<ViewerSocket>(std::move(stream_), house_.audience);
  house_.on_viewer(viewer);
  viewer->start(request);
}

void HttpConnection::send_page_file(std::string_view name) {
  const auto files = page_files();
  const auto found = std::find_if(files.begin(), files.end(),
                                  [&](const PageFile& file) { return file.name == name; });
  if (found == files.end()) return refuse(http::status::not_found, "there is no such file");
  send(http::status::ok, content_type(name), std::string(found->contents));
}

void HttpConnection::send_table(const std::string& name) {
  const bool is_plain =
      name.ends_with(".csv") && !name.starts_with('.') && name.find('/') == std::string::npos;
  file_.emplace();
  beast::error_code error;
  if (is_plain) {
    const std::string path = (house_.recordings / name).string();
    file_->body().open(path.c_str(), beast::file_mode::scan, error);
  }
  if (!is_plain || error) return refuse(http::status::not_found, "there is no such table");
  add_headers(*file_);
  file_->set(http::field::content_type, "text/csv");
  file_->set(http::field::content_disposition, "attachment; filename=\"" + name + "\"");
  file_->content_length(file_->body().size());
  stream_.expires_after(time_for_answer);
  const auto sent = [self = shared_from_this()](beast::error_code, std::size_t) { self->finish(); };
  if (parser_->get().method() == http::verb::head) {
    // a header that tells the length, and nothing after it
    text_.emplace(std::move(file_->base()));
    return http::async_write(stream_, *text_, sent);
  }
  http::async_write(stream_, *file_, sent);
}

void HttpConnection::refuse(http::status status, std::string_view why) {
  send(status, "text/plain", std::string(why) + "\n");
}

void HttpConnection::send(http::status status, std::string_view type, std::string body) {
  text_.emplace(status, 11);
  add_headers(*text_);
  text_->set(http::field::content_type, beast::string_view(type.data(), type.size()));
  if (status == http::status::method_not_allowed) text_->set(http::field::allow, "GET, HEAD");
  text_->content_length(body.size());
  if (!parser_->is_header_done() || parser_->get().method() != http::verb::head) {
    text_->body() = std::move(body);
  }
  stream_.expires_after(time_for_request);
  http::async_write(stream_, *text_, [self = shared_from_this()](beast::error_code, std::size_t) {
    self->finish();
  });
}

void HttpConnection::finish() {
  beast::error_code ignored;
  stream_.socket().shutdown(Tcp::socket::shutdown_send, ignored);
  stream_.close();
}

}  // namespace stickslip::viewer
