#!/usr/bin/env python3
"""A bridge in Python: speaks the datagrams of docs/device_bridge.md to stickslip.

It needs the standard library only, and emulates a device (a mass in a hand that draws a circle),
so that it runs without hardware: replace Device by calls of an SDK.

    python3 bridge_client.py [--port 26160] [--seconds 10]
"""
import argparse
import math
import random
import socket
import struct
import sys
import time
import zlib

HELLO, WELCOME, STATE, WRENCH, GOODBYE = 1, 2, 3, 4, 5
ACCEPTED, OTHER_VERSION, BUSY, SENSELESS, SAY_HELLO_FIRST = range(5)
HEADER = "<4sHHIIQ"
TICK = 1e-3
WATCHDOG = 0.05


class Device:
    """0.1 kg in a hand of 4 N s/m and 300 N/m, whose aim draws a circle."""

    def __init__(self):
        self.position = [0.0, 0.0, 0.0]
        self.velocity = [0.0, 0.0, 0.0]

    def step(self, now, force):
        aim = (0.02 * math.cos(3 * now), 0.02 * math.sin(3 * now), 0.0)
        for i in range(3):
            pull = force[i] + 300 * (aim[i] - self.position[i]) - 4 * self.velocity[i]
            self.velocity[i] += TICK * pull / 0.1
            self.position[i] += TICK * self.velocity[i]


class Bridge:
    def __init__(self, port):
        self.socket = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
        self.socket.setblocking(False)
        self.engine = ("127.0.0.1", port)
        self.session = random.getrandbits(32)
        self.sequence = 0
        self.is_welcome = False
        self.greeted_at = 0.0
        self.wrench = (0.0,) * 6
        self.wrench_sequence = 0
        self.heard_at = 0.0
        self.states = self.wrenches = self.drops = 0

    def send(self, kind, payload):
        self.sequence += 1
        size = struct.calcsize(HEADER) + len(payload) + 4
        frame = struct.pack(HEADER, b"SSDB", 1, kind, self.session, size, self.sequence) + payload
        frame += struct.pack("<I", zlib.crc32(frame))
        try:
            self.socket.sendto(frame, self.engine)
        except OSError:
            pass  # no engine yet

    def say_hello(self):
        self.greeted_at = time.monotonic()
        # degrees sensed and actuated; N, N m, N/m, m, kg, N s/m, m, s (0: unknown); watchdog in ms
        self.send(HELLO, struct.pack("<32sII8dII", b"example", 6, 3, 5.0, 0.0, 1000.0, 0.1, 0.1,
                                     0.0, 0.0, TICK, int(1e3 * WATCHDOG), 0))

    def say_state(self, device):
        self.states += 1
        orientation = (1.0, 0.0, 0.0, 0.0)  # w, x, y, z
        buttons, ready = 0, 1
        self.send(STATE, struct.pack("<13dIIQ", *device.position, *orientation, *device.velocity,
                                     0.0, 0.0, 0.0, buttons, ready, self.wrench_sequence))

    def listen(self):
        while True:
            try:
                frame = self.socket.recv(256)
            except BlockingIOError:
                return
            except OSError:
                continue  # the answer of a port without an engine
            self.take(frame)

    def take(self, frame):
        if len(frame) < 28 or struct.unpack("<I", frame[-4:])[0] != zlib.crc32(frame[:-4]):
            return
        magic, version, kind, session, size, sequence = struct.unpack_from(HEADER, frame)
        if magic != b"SSDB" or session != self.session or size != len(frame):
            return
        if kind == WELCOME:
            answer, _timeout_ms = struct.unpack_from("<II", frame, 24)
            if answer in (OTHER_VERSION, SENSELESS):
                sys.exit(f"the engine refuses this bridge: answer {answer}")
            if answer == ACCEPTED and not self.is_welcome:
                self.wrench_sequence = 0
            self.is_welcome = answer == ACCEPTED
        elif kind == WRENCH and sequence > self.wrench_sequence:
            self.wrench_sequence = sequence
            self.wrench = struct.unpack_from("<6d", frame, 24)
            self.heard_at = time.monotonic()
            self.wrenches += 1
        elif kind == GOODBYE:
            self.wrench = (0.0,) * 6
            self.is_welcome = False

    def tick(self, now, device):
        """Listen, obey the watchdog, move, speak."""
        self.listen()
        if any(self.wrench) and time.monotonic() - self.heard_at > WATCHDOG:
            self.wrench = (0.0,) * 6
            self.drops += 1
        device.step(now, self.wrench)
        if self.is_welcome:
            self.say_state(device)
        elif time.monotonic() - self.greeted_at > 0.2:
            self.say_hello()


def main():
    options = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    options.add_argument("--port", type=int, default=26160)
    options.add_argument("--seconds", type=float, default=10.0)
    arguments = options.parse_args()

    bridge, device = Bridge(arguments.port), Device()
    start = time.monotonic()
    for i in range(int(arguments.seconds / TICK)):
        time.sleep(max(0.0, start + i * TICK - time.monotonic()))
        bridge.tick(i * TICK, device)
    bridge.send(GOODBYE, b"")
    print(f"sent {bridge.states} states, heard {bridge.wrenches} wrenches, "
          f"dropped the force {bridge.drops} times")


if __name__ == "__main__":
    main()
