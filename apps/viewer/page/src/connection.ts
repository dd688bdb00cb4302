import { type Binary, type ClientMessage, decode, type ServerMessage } from "./protocol";

export type Link = "connecting" | "open" | "lost" | "refused";

interface Listener {
  onLink(link: Link): void;
  onText(message: ServerMessage): void;
  onBinary(message: Binary): void;
}

/** The socket to the engine; tries again once a second when it closes. */
export class Connection {
  private socket: WebSocket | null = null;
  private readonly token = new URLSearchParams(location.search).get("token") ?? "";

  constructor(private readonly listener: Listener) {
    this.open();
  }

  send(message: ClientMessage): void {
    if (this.socket?.readyState === WebSocket.OPEN) this.socket.send(JSON.stringify(message));
  }

  /** An address of the server with the token that it asks for. */
  address(path: string): string {
    return `${path}?token=${encodeURIComponent(this.token)}`;
  }

  private open(): void {
    const scheme = location.protocol === "https:" ? "wss" : "ws";
    const socket = new WebSocket(`${scheme}://${location.host}${this.address("/socket")}`);
    socket.binaryType = "arraybuffer";
    socket.onopen = () => this.listener.onLink("open");
    socket.onmessage = (event) => {
      if (typeof event.data === "string") {
        this.listener.onText(JSON.parse(event.data) as ServerMessage);
        return;
      }
      const message = decode(event.data as ArrayBuffer);
      if (message) this.listener.onBinary(message);
    };
    socket.onclose = () => {
      this.listener.onLink("lost");
      setTimeout(() => void this.tryAgain(), 1000);
    };
    this.socket = socket;
  }

  private async tryAgain(): Promise<void> {
    // the token tells whether it is still the same launch that answers
    try {
      const answer = await fetch(this.address("/status"), { cache: "no-store" });
      if (answer.status === 403) {
        this.listener.onLink("refused");
        setTimeout(() => void this.tryAgain(), 1000);
        return;
      }
      if (answer.ok) {
        this.open();
        return;
      }
    } catch {
      // nobody listens: the engine is not there
    }
    setTimeout(() => void this.tryAgain(), 1000);
  }
}
