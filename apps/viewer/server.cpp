#include "apps/viewer/server.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <deque>
#include <thread>
#include <vector>

#include "apps/viewer/http_connection.hpp"
#include "stickslip/error.hpp"

namespace stickslip::viewer {

namespace {

/// Connections that have not become viewers; beyond, the oldest makes room.
constexpr std::size_t most_connections = 64;
constexpr auto pass_on_every = std::chrono::milliseconds(8);
constexpr int bind_attempts = 8;

}  // namespace

class Server::Works {
 public:
  Works(const ServerOptions& options, Exchange& exchange)
      : options_(options),
        port_(listen()),
        audience_(exchange),
        house_{AllowedHosts(options.address, port_),
               options.token.empty() ? make_token() : options.token, options.recordings, audience_,
               [this](const std::shared_ptr<ViewerSocket>& viewer) { viewers_.push_back(viewer); }},
        timer_(context_) {
    for (Tcp::acceptor& acceptor : acceptors_) accept(acceptor);
    wait();
    thread_ = std::thread([this] { context_.run(); });
  }

  ~Works() {
    asio::post(context_, [this] { close(); });
    thread_.join();
  }
  Works(const Works&) = delete;
  Works& operator=(const Works&) = delete;

  std::uint16_t port() const { return port_; }
  const House& house() const { return house_; }
  const ServerOptions& options() const { return options_; }

 private:
  /// On the address, or on both that this machine has for itself, on one port.
  std::uint16_t listen() {
    for (int attempt = 0;; ++attempt) {
      acceptors_.clear();
      beast::error_code error;
      const bool is_loopback = options_.address.empty();
      const auto first =
          asio::ip::make_address(is_loopback ? "127.0.0.1" : options_.address, error);
      if (error) {
        throw InputError(
            fmt::format("--address {}: is no address of this machine; give one like 192.168.1.5",
                        options_.address));
      }
      if (first.is_unspecified()) {
        throw InputError(fmt::format(
            "--address {}: stands for all addresses; give the one by which the page will be asked",
            options_.address));
      }
      open(Tcp::endpoint(first, options_.port), error);
      if (error) refuse(error);
      const std::uint16_t port = acceptors_.front().local_endpoint().port();
      if (!is_loopback) return port;

      // a machine without the sixth version does with the fourth
      open(Tcp::endpoint(asio::ip::address_v6::loopback(), port), error);
      if (error != asio::error::address_in_use) return port;
      if (options_.port != 0 || attempt == bind_attempts) refuse(error);
    }
  }

  [[noreturn]] void refuse(const beast::error_code& error) const {
    throw InputError(fmt::format("--port {}: cannot be had ({}); give another, or 0 for any",
                                 options_.port, error.message()));
  }

  void open(const Tcp::endpoint& endpoint, beast::error_code& error) {
    Tcp::acceptor acceptor(context_);
    acceptor.open(endpoint.protocol(), error);
    if (!error) acceptor.set_option(asio::socket_base::reuse_address(true), error);
    if (!error && endpoint.address().is_v6()) acceptor.set_option(asio::ip::v6_only(true), error);
    if (!error) acceptor.bind(endpoint, error);
    if (!error) acceptor.listen(asio::socket_base::max_listen_connections, error);
    if (!error) acceptors_.push_back(std::move(acceptor));
  }

  void accept(Tcp::acceptor& acceptor) {
    acceptor.async_accept([this, &acceptor](beast::error_code error, Tcp::socket socket) {
      if (error == asio::error::operation_aborted) return;
      if (!error) admit(std::move(socket));
      if (!error || is_over_soon(error)) return accept(acceptor);
      // no descriptors left: not at once again
      const auto pause = std::make_shared<asio::steady_timer>(context_);
      pause->expires_after(std::chrono::milliseconds(100));
      pause->async_wait([this, &acceptor, pause](beast::error_code stopped) {
        if (!stopped && acceptor.is_open()) accept(acceptor);
      });
    });
  }

  static bool is_over_soon(const beast::error_code& error) {
    return error == asio::error::connection_aborted || error == asio::error::connection_reset;
  }

  void admit(Tcp::socket socket) {
    std::erase_if(connections_, [](const auto& connection) { return connection.expired(); });
    if (connections_.size() >= most_connections) {
      if (const auto oldest = connections_.front().lock()) oldest->drop();
      connections_.pop_front();
    }
    beast::error_code ignored;
    socket.set_option(Tcp::no_delay(true), ignored);
    const auto connection = std::make_shared<HttpConnection>(std::move(socket), house_);
    connections_.push_back(connection);
    connection->start();
  }

  void wait() {
    timer_.expires_after(pass_on_every);
    timer_.async_wait([this](beast::error_code error) {
      if (error || is_closed_) return;
      std::erase_if(viewers_, [](const auto& viewer) { return viewer.expired(); });
      audience_.pass_on();
      wait();
    });
  }

  void close() {
    is_closed_ = true;
    beast::error_code ignored;
    for (Tcp::acceptor& acceptor : acceptors_) acceptor.close(ignored);
    for (const auto& connection : connections_) {
      if (const auto there = connection.lock()) there->drop();
    }
    const std::vector<std::weak_ptr<ViewerSocket>> viewers = std::move(viewers_);
    for (const auto& viewer : viewers) {
      if (const auto there = viewer.lock()) there->close(websocket::close_code::going_away);
    }
    // whoever does not answer the farewell is left
    if (viewers.empty()) return context_.stop();
    timer_.expires_after(std::chrono::milliseconds(200));
    timer_.async_wait([this](beast::error_code) { context_.stop(); });
  }

  ServerOptions options_;
  asio::io_context context_{1};
  std::vector<Tcp::acceptor> acceptors_;
  std::uint16_t port_;
  Audience audience_;
  House house_;
  std::deque<std::weak_ptr<HttpConnection>> connections_;
  std::vector<std::weak_ptr<ViewerSocket>> viewers_;
  asio::steady_timer timer_;
  bool is_closed_ = false;
  std::thread thread_;
};

Server::Server(const ServerOptions& options, Exchange& exchange)
    : works_(std::make_unique<Works>(options, exchange)) {}

Server::~Server() = default;

std::uint16_t Server::port() const {
  return works_->port();
}

const std::string& Server::token() const {
  return works_->house().token;
}

std::string Server::url() const {
  const std::string& address = works_->options().address;
  std::string host = address.empty() ? "127.0.0.1" : address;
  if (host.find(':') != std::string::npos) host = "[" + host + "]";
  return fmt::format("http://{}:{}/?token={}", host, port(), token());
}

}  // namespace stickslip::viewer
