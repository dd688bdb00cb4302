#include "stickslip/devices/haply_conversation.hpp"

#include <gtest/gtest.h>

#include <cmath>

#include "tests/devices/fake_haply.hpp"

namespace stickslip {
namespace {

using testing_support::FakeHaply;
using Manner = FakeHaply::Manner;

constexpr double timeout_s = 0.1;
constexpr double tick_s = 1e-3;

DeviceLimits inverse3() {
  DeviceLimits limits;
  limits.peak_force = 5.0;
  return limits;
}

/// A service, the driver and a loop, tick by tick of counted time.
class Exchange {
 public:
  explicit Exchange(unsigned seed = 1)
      : service(seed), conversation(inverse3(), "049D", timeout_s), view(timeout_s) {
    connect();
  }

  void connect() {
    conversation.begin(now);
    service.begin(now);
  }

  void take(const std::vector<FakeHaply::Said>& said) {
    if (!said.empty()) {
      conversation.take(said.size(), said.back().state, said.back().echoed, now);
    }
  }

  /// The driver listens and speaks.
  void drive() {
    take(service.speak(now));
    last_word = conversation.speak(command, now);
    if (!last_word) return;
    service.hear(*last_word);
    ++words;
    if (last_word->force.isZero(0.0)) {
      ++zeros;
    } else {
      pushed_at = now;
    }
  }

  /// A tick with a loop that wants this force.
  void tick(const Vec3& force) {
    drive();
    is_there = view.read(conversation.sample(), now, reading);
    command = view.command(force, now);
    drive();
    now += tick_s;
  }
  void tick(int times, const Vec3& force) {
    for (int i = 0; i < times; ++i) tick(force);
  }

  double now = 1.0;
  FakeHaply service;
  HaplyConversation conversation;
  HaplyView view;
  HaplyCommand command;
  std::optional<HaplyWord> last_word;
  DeviceReading reading;
  bool is_there = false;
  int words = 0;
  int zeros = 0;
  double pushed_at = 0.0;  ///< the last force
};

const Vec3 push(0.0, 0.0, 3.0);

TEST(HaplyConversation, EachForceIsAnsweredAndTheStateIsAsOldAsTheForce) {
  Exchange exchange;
  exchange.tick(5, Vec3::Zero());
  exchange.tick(20, push);
  EXPECT_TRUE(exchange.is_there);
  EXPECT_NEAR(exchange.reading.age_s, tick_s, 1e-12);
  EXPECT_NEAR(FakeHaply::time_of(exchange.reading.position), exchange.now - tick_s, 1e-9);
  EXPECT_EQ(exchange.last_word->force, push);
  const int before = exchange.words;
  exchange.tick(10, push);
  EXPECT_EQ(exchange.words, before + 10);
}

TEST(HaplyConversation, SilentServiceIsSentZeroForceFiftyTimesASecond) {
  Exchange exchange;
  exchange.tick(20, push);
  exchange.service.behave(Manner::stall);
  const double silent_from = exchange.now;
  exchange.zeros = 0;
  exchange.tick(900, push);
  // lost after its timeout, then zero at once and again and again
  EXPECT_FALSE(exchange.is_there);
  EXPECT_LT(exchange.pushed_at, silent_from + timeout_s + 2.0 * tick_s);
  EXPECT_GE(exchange.zeros, 38);
  EXPECT_LE(exchange.zeros, 45);

  // answers to what was said meanwhile bring it back
  exchange.service.behave(Manner::sound);
  exchange.tick(3, push);
  EXPECT_TRUE(exchange.is_there);
  EXPECT_LT(exchange.reading.age_s, 3.0 * tick_s);
}

TEST(HaplyConversation, AnswersThatArriveLateAreAsOldAsTheirWords) {
  Exchange exchange;
  exchange.tick(20, push);
  exchange.service.behave(Manner::hang);
  exchange.tick(150, push);
  EXPECT_FALSE(exchange.is_there);
  // one of the answers gets through: it belongs to the first word of the silence
  const auto& message = exchange.conversation;
  exchange.service.behave(Manner::sound);
  auto said = exchange.service.speak(exchange.now);
  ASSERT_GT(said.size(), 3u);
  exchange.take({said.front()});
  EXPECT_GT(exchange.now - message.sample().since, timeout_s);
  EXPECT_FALSE(exchange.view.read(message.sample(), exchange.now, exchange.reading));
  said.erase(said.begin());
  exchange.take(said);
  EXPECT_TRUE(exchange.view.read(message.sample(), exchange.now, exchange.reading));
}

TEST(HaplyConversation, TwoStatesAWordAreNoYoungerThanTheWord) {
  Exchange exchange;
  exchange.service.behave(Manner::twice);
  exchange.tick(500, push);
  EXPECT_TRUE(exchange.is_there);
  EXPECT_NEAR(FakeHaply::time_of(exchange.reading.position), exchange.now - tick_s, 1e-9);
  EXPECT_GT(exchange.conversation.unasked(), 400u);
}

TEST(HaplyConversation, CopiesOfAStateThatTrickleInKeepNothingAlive) {
  Exchange exchange;
  exchange.tick(20, push);
  exchange.service.behave(Manner::copies);
  exchange.service.trickle(true);
  exchange.tick(1, push);
  // whatever was said is on its way by now
  exchange.service.behave(Manner::stall);
  const double silent_from = exchange.now;
  for (int i = 0; i < 200; ++i) {
    exchange.tick(push);
    if (!exchange.is_there) continue;
    EXPECT_GE(exchange.reading.age_s,
              exchange.now - tick_s - FakeHaply::time_of(exchange.reading.position) - 1e-9);
  }
  EXPECT_FALSE(exchange.is_there);
  EXPECT_LT(exchange.pushed_at, silent_from + timeout_s + 2.0 * tick_s);
  exchange.service.behave(Manner::sound);
  exchange.service.trickle(false);
  exchange.tick(5, push);
  EXPECT_TRUE(exchange.is_there);
  EXPECT_NEAR(exchange.reading.age_s, tick_s, 1e-12);
}

TEST(HaplyConversation, AServiceThatSaysMoreThanItIsAskedIsAskedOneThingAtATime) {
  Exchange exchange;
  exchange.service.behave(Manner::copies);
  exchange.service.trickle(true);
  exchange.tick(2000, push);
  // forty copies take 67 ticks to come through, and are followed by the echo of the next word
  EXPECT_LT(exchange.words, 2000 / 20 + 10);
}

TEST(HaplyConversation, AServiceThatKnowsNoPingsIsBelievedByTheCountAfterASecond) {
  Exchange exchange;
  exchange.service.never_echo();
  exchange.connect();
  for (int i = 0; i < 1000; ++i) {
    exchange.tick(push);
    ASSERT_FALSE(exchange.is_there);
  }
  exchange.tick(300, push);
  EXPECT_TRUE(exchange.is_there);
  EXPECT_NEAR(exchange.reading.age_s, tick_s, 1e-12);
  const int before = exchange.words;
  exchange.tick(100, push);
  EXPECT_EQ(exchange.words, before + 100);
}

TEST(HaplyConversation, EchoesOfPingsThatNobodySentAreNone) {
  Exchange exchange;
  exchange.tick(20, push);
  // an old state, on its way, while other words were said
  exchange.service.behave(Manner::hang);
  exchange.tick(2, push);
  const double old_at = exchange.now;
  exchange.tick(60, push);
  exchange.service.behave(Manner::stall);
  std::vector<FakeHaply::Said> said = exchange.service.speak(exchange.now);
  said.resize(1);
  said.front().echoed = 1000000;
  exchange.conversation.hear_echo(1000000);
  // as often as it takes for the count to be led astray
  for (int i = 0; i < 10; ++i) exchange.take(said);
  EXPECT_LT(exchange.conversation.sample().since, old_at);
}

TEST(HaplyConversation, DeviceThatIsNowhereIsNeverThere) {
  Exchange exchange;
  exchange.service.behave(Manner::teleport);
  exchange.connect();
  for (int i = 0; i < 2000; ++i) {
    exchange.tick(push);
    ASSERT_FALSE(exchange.is_there);
    ASSERT_TRUE(!exchange.last_word || exchange.last_word->force.isZero(0.0));
  }
  EXPECT_GT(exchange.conversation.garbled(), 100u);
  exchange.service.behave(Manner::sound);
  exchange.tick(10, push);
  EXPECT_TRUE(exchange.is_there);
  EXPECT_EQ(exchange.last_word->force, push);
}

TEST(HaplyConversation, LoopThatFallsSilentBeginsAnew) {
  Exchange exchange;
  exchange.tick(20, push);
  for (int i = 0; i < 30; ++i) {
    exchange.drive();
    exchange.now += tick_s;
  }
  EXPECT_TRUE(exchange.conversation.is_heard_at_rest());
  // the loop comes back as if nothing had happened, and is told once
  exchange.command = exchange.view.command(push, exchange.now);
  exchange.now += HaplyConversation::repeat_s;
  exchange.command = exchange.view.command(push, exchange.now);
  exchange.drive();
  EXPECT_TRUE(exchange.last_word->force.isZero(0.0));
  EXPECT_FALSE(exchange.view.read(exchange.conversation.sample(), exchange.now, exchange.reading));
  exchange.tick(2, push);
  EXPECT_TRUE(exchange.is_there);
  EXPECT_EQ(exchange.last_word->force, push);
}

TEST(HaplyConversation, AnswersThatNeverComeAreForgottenAfterAHush) {
  Exchange exchange;
  exchange.tick(20, push);
  exchange.service.behave(Manner::forget);
  exchange.tick(400, push);
  exchange.service.behave(Manner::sound);
  // within a second of doubt and a hush the count is right again
  exchange.tick(1200, push);
  const int before = exchange.words;
  exchange.tick(100, push);
  EXPECT_EQ(exchange.words, before + 100);
  EXPECT_TRUE(exchange.is_there);
  EXPECT_NEAR(exchange.reading.age_s, tick_s, 1e-12);
}

TEST(HaplyConversation, ForceIsDroppedWithoutWaitingForAnAnswer) {
  Exchange exchange;
  exchange.tick(20, push);
  exchange.service.behave(Manner::stall);
  exchange.tick(2, push);
  exchange.tick(1, Vec3::Zero());
  ASSERT_TRUE(exchange.last_word.has_value());
  EXPECT_TRUE(exchange.last_word->force.isZero(0.0));
}

/// A run in which the service and the loop misbehave at random moments.
class Storm {
 public:
  explicit Storm(unsigned seed) : exchange_(seed), random_(seed) {}

  void run() {
    for (int i = 0; i < 350; ++i) {
      if (chance(0.02)) misbehave();
      // a loop that is late, now and then
      if (chance(0.01)) wait(0.05 * share());
      tick();
    }
    exchange_.service.behave(Manner::sound);
    exchange_.service.trickle(false);
    for (int i = 0; i < 1500 && !has_force_; ++i) tick();
    EXPECT_TRUE(has_force_) << "no recovery";
  }

 private:
  double share() { return std::uniform_real_distribution<double>()(random_); }
  bool chance(double probability) { return share() < probability; }

  void misbehave() {
    const auto manner = static_cast<Manner>(random_() % FakeHaply::manners);
    exchange_.service.behave(manner);
    exchange_.service.trickle(chance(0.3));
    has_reordered_ |= manner == Manner::reorder;
    if (chance(0.1)) {
      exchange_.connect();
      is_told_ = is_told_ && !was_pushed_;
      was_pushed_ = false;
    }
  }

  void wait(double seconds) {
    const double until = exchange_.now + seconds;
    while (exchange_.now < until) {
      exchange_.drive();
      judge();
      exchange_.now += tick_s;
    }
  }

  void tick() {
    // as a loop does: nothing while lost and for some ticks after
    there_for_ = exchange_.is_there ? there_for_ + 1 : 0;
    const Vec3 wanted = there_for_ > 10 ? Vec3(20.0 * share(), -7.0, 3.0 * share()) : Vec3::Zero();
    exchange_.drive();
    judge();
    exchange_.is_there =
        exchange_.view.read(exchange_.conversation.sample(), exchange_.now, exchange_.reading);
    if (!exchange_.is_there) is_told_ = true;
    judge_reading();
    exchange_.command = exchange_.view.command(wanted, exchange_.now);
    exchange_.drive();
    judge();
    exchange_.now += tick_s;
  }

  void judge() {
    const double now = exchange_.now;
    if (!exchange_.conversation.is_greeted()) spoken_at_ = now;
    if (!exchange_.last_word) {
      EXPECT_LE(now - spoken_at_, HaplyConversation::repeat_s + timeout_s + 2.0 * tick_s);
      return;
    }
    spoken_at_ = now;
    const Vec3& force = exchange_.last_word->force;
    EXPECT_TRUE(force.allFinite());
    EXPECT_LE(force.norm(), 5.0 + 1e-12);
    has_force_ = !force.isZero(0.0);
    if (has_force_) {
      EXPECT_LT(now - exchange_.command.at, HaplyConversation::loop_silence_s);
      EXPECT_LE(now - exchange_.conversation.sample().since, timeout_s);
      // a force that the driver had dropped is not taken up before the loop was told
      EXPECT_TRUE(is_told_);
      was_pushed_ = true;
    } else {
      // dropped, although the loop wanted it
      if (was_pushed_ && !exchange_.command.force.isZero(0.0)) is_told_ = false;
      was_pushed_ = false;
    }
  }

  void judge_reading() {
    if (!exchange_.is_there) return;
    // no state looks younger than it is, unless the service itself says the one before
    const double age = exchange_.now - FakeHaply::time_of(exchange_.reading.position);
    const double since_the_one_before = HaplyConversation::repeat_s + 2.0 * tick_s;
    EXPECT_LE(age, exchange_.reading.age_s + (has_reordered_ ? since_the_one_before : 0.0) + 1e-9);
  }

  Exchange exchange_;
  std::mt19937 random_;
  int there_for_ = 0;
  bool has_force_ = false;
  bool was_pushed_ = false;
  bool is_told_ = true;
  bool has_reordered_ = false;
  double spoken_at_ = 1.0;
};

TEST(HaplyConversation, TenThousandStormsLeaveForcesBoundedCurrentAndBegunAnew) {
  for (unsigned seed = 1; seed <= 10000; ++seed) {
    Storm(seed).run();
    ASSERT_FALSE(HasFailure()) << "seed " << seed;
  }
}

}  // namespace
}  // namespace stickslip
