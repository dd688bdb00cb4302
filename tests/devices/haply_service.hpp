#pragma once

// asio of Boost 1.74 needs it first
#include <utility>

#include <sys/socket.h>

#include <atomic>
#include <boost/asio/io_context.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <boost/beast/core.hpp>
#include <boost/beast/websocket.hpp>
#include <chrono>
#include <cmath>
#include <limits>
#include <mutex>
#include <nlohmann/json.hpp>
#include <string>
#include <thread>

#include "stickslip/devices/driver_clock.hpp"
#include "tests/devices/sway.hpp"

namespace stickslip::testing_support {

/// Speaks as Haply's Inverse Service does, on a free port of this machine, and can misbehave.
class HaplyService {
 public:
  enum class Manner {
    sound,
    late,
    garbled,
    lacking,
    not_ready,
    mute,
    nowhere,
    twice,
    flood,
    trickle,
    teleport,
    reorder,
  };
  static constexpr int manners = 12;

  HaplyService() : HaplyService(0) {}
  explicit HaplyService(std::uint16_t port) : acceptor_(context_) {
    const Tcp::endpoint endpoint(boost::asio::ip::address_v4::loopback(), port);
    acceptor_.open(endpoint.protocol());
    acceptor_.set_option(Tcp::acceptor::reuse_address(true));
    acceptor_.bind(endpoint);
    acceptor_.listen();
    acceptor_.non_blocking(true);
    port_ = acceptor_.local_endpoint().port();
    thread_ = std::thread([this] { serve(); });
  }
  ~HaplyService() {
    is_ending_ = true;
    hang_up();
    thread_.join();
  }

  std::uint16_t port() const { return port_; }
  void behave(Manner manner) { manner_ = manner; }
  /// The cursor sways by 4 mm from now on; else it tells how many messages were heard.
  void sway() { sways_ = true; }
  /// When it last said where the cursor is, as a service should. [s]
  double spoke_at_s() const { return spoke_at_; }
  /// Breaks the connection that there is.
  void hang_up() {
    const std::lock_guard lock(mutex_);
    if (descriptor_ >= 0) ::shutdown(descriptor_, SHUT_RDWR);
  }

  std::string first_message() const {
    const std::lock_guard lock(mutex_);
    return first_message_;
  }
  std::string last_message() const {
    const std::lock_guard lock(mutex_);
    return last_message_;
  }
  /// The largest force it was ever told. [N]
  double largest_force() const { return largest_force_; }
  /// The last force that it was told.
  double last_force() const { return last_force_; }
  int messages() const { return messages_; }
  int connections() const { return connections_; }

 private:
  using Tcp = boost::asio::ip::tcp;
  using Json = nlohmann::json;

  void serve() {
    while (!is_ending_) {
      boost::system::error_code error;
      Tcp::socket socket(context_);
      acceptor_.accept(socket, error);
      if (error) {
        std::this_thread::sleep_for(std::chrono::milliseconds(1));
        continue;
      }
      socket.non_blocking(false);
      ++connections_;
      converse(std::move(socket));
    }
  }

  void converse(Tcp::socket socket) {
    {
      const std::lock_guard lock(mutex_);
      descriptor_ = socket.native_handle();
    }
    boost::beast::websocket::stream<Tcp::socket> stream(std::move(socket));
    boost::system::error_code error;
    stream.accept(error);
    bool is_first = true;
    std::string answer = state();
    std::string before = answer;
    while (!error && !is_ending_) {
      const Manner manner = manner_;
      const double spoke_at = is_good_ ? steady_seconds() : spoke_at_.load();
      // while it speaks, it is not known when it is heard
      if (is_good_) spoke_at_ = std::numeric_limits<double>::infinity();
      if (!answer.empty()) stream.write(boost::asio::buffer(answer), error);
      spoke_at_ = spoke_at;
      // what comes after tells nothing that is newer
      for (int i = 1; i < times_in(manner) && !answer.empty() && !error && !is_ending_; ++i) {
        if (manner == Manner::trickle) std::this_thread::sleep_for(std::chrono::milliseconds(5));
        stream.write(boost::asio::buffer(answer), error);
      }
      // the older of two states last
      if (manner == Manner::reorder && !error) stream.write(boost::asio::buffer(before), error);
      if (error) break;
      std::string text;
      auto buffer = boost::asio::dynamic_buffer(text);
      stream.read(buffer, error);
      if (error) break;
      const std::lock_guard lock(mutex_);
      if (is_first) first_message_ = text;
      is_first = false;
      last_message_ = text;
      ++messages_;
      last_force_ = force_in(text);
      largest_force_ = std::max(largest_force_.load(), last_force_.load());
      before = std::exchange(answer, state());
    }
    const std::lock_guard lock(mutex_);
    descriptor_ = -1;
  }

  /// How often it says what it says.
  static int times_in(Manner manner) {
    if (manner == Manner::twice) return 2;
    return manner == Manner::flood || manner == Manner::trickle ? 40 : 1;
  }

  static double force_in(const std::string& text) {
    const Json command = Json::parse(text)["inverse3"][0]["commands"]["set_cursor_force"];
    const Json force = command.contains("vector") ? command["vector"] : command["values"];
    return std::hypot(force["x"].get<double>(), force["y"].get<double>(), force["z"].get<double>());
  }

  std::string state() {
    const Manner manner = manner_;
    is_good_ = manner == Manner::sound || manner == Manner::late || manner >= Manner::twice;
    if (manner == Manner::late) std::this_thread::sleep_for(std::chrono::milliseconds(250));
    if (manner == Manner::garbled) return "{\"inverse3\":[{\"device_id\":";
    if (manner == Manner::lacking) return R"({"inverse3":[{"device_id":"049D"}],"verse_grip":7})";
    if (manner == Manner::mute) return {};
    double x = sways_ ? swayed_m(steady_seconds()) : 1e-6 * messages_;
    if (manner == Manner::nowhere) x = 1e300;
    if (manner == Manner::teleport && messages_ % 30 == 0) elsewhere_ = 0.05 - elsewhere_;
    Json json;
    json["inverse3"] = Json::array(
        {{{"device_id", "0001"}, {"state", {{"cursor_position", vector(9.0, 9.0, 9.0)}}}},
         {{"device_id", "049D"},
          {"state",
           {{"cursor_position", vector(x, 0.02 + elsewhere_, 0.03)},
            {"cursor_velocity", vector(0.1, 0.0, -0.2)}}},
          {"status", {{"calibrated", true}, {"ready", manner != Manner::not_ready}}}}});
    // a quarter turn a second about z, roughly
    const double half = 0.5 * 1.5 * seconds();
    json["wireless_verse_grip"] = Json::array(
        {{{"state",
           {{"orientation", {{"w", std::cos(half)}, {"x", 0.0}, {"y", 0.0}, {"z", std::sin(half)}}},
            {"buttons", {{"a", false}, {"b", true}, {"c", true}}}}}}});
    return json.dump();
  }
  static Json vector(double x, double y, double z) { return {{"x", x}, {"y", y}, {"z", z}}; }
  double seconds() const {
    return std::chrono::duration<double>(std::chrono::steady_clock::now() - start_).count();
  }

  boost::asio::io_context context_;
  Tcp::acceptor acceptor_;
  std::uint16_t port_ = 0;
  std::chrono::steady_clock::time_point start_ = std::chrono::steady_clock::now();
  std::atomic<Manner> manner_ = Manner::sound;
  std::atomic<bool> is_ending_ = false;
  std::atomic<bool> sways_ = false;
  std::atomic<double> spoke_at_ = 0.0;
  bool is_good_ = false;    ///< what is said next
  double elsewhere_ = 0.0;  ///< [m]
  std::atomic<int> messages_ = 0;
  std::atomic<double> last_force_ = 0.0;
  std::atomic<double> largest_force_ = 0.0;
  std::atomic<int> connections_ = 0;
  mutable std::mutex mutex_;
  std::string first_message_;
  std::string last_message_;
  int descriptor_ = -1;
  std::thread thread_;
};

}  // namespace stickslip::testing_support
