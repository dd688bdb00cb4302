#pragma once

#include <filesystem>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <variant>

#include "apps/viewer/beast.hpp"
#include "apps/viewer/http_guard.hpp"
#include "apps/viewer/viewer_socket.hpp"

namespace stickslip::viewer {

/// What all connections of a server share.
struct House {
  AllowedHosts hosts;
  std::string token;
  std::filesystem::path recordings;
  Audience& audience;
  /// Told of a connection that has become a WebSocket.
  std::function<void(const std::shared_ptr<ViewerSocket>&)> on_viewer;
};

/// A connection with one request: answered and closed, or handed on as a WebSocket.
class HttpConnection : public std::enable_shared_from_this<HttpConnection> {
 public:
  HttpConnection(Tcp::socket socket, House& house);

  void start();
  void drop();  ///< at once; it took too long, or others need its place

 private:
  using TextResponse = http::response<http::string_body>;
  using FileResponse = http::response<http::file_body>;

  void answer();
  void answer_target(const Target& target);
  void upgrade(const Target& target);
  void send_page_file(std::string_view name);
  void send_table(const std::string& name);
  void refuse(http::status status, std::string_view why);
  void send(http::status status, std::string_view type, std::string body);
  void finish();

  beast::tcp_stream stream_;
  House& house_;
  beast::flat_buffer buffer_;
  std::optional<http::request_parser<http::empty_body>> parser_;
  std::optional<TextResponse> text_;
  std::optional<FileResponse> file_;
};

}  // namespace stickslip::viewer
