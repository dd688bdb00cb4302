// shows the simulated time, and answers frames
const token = new URLSearchParams(location.search).get("token") ?? "";
const socket = new WebSocket(`ws://${location.host}/socket?token=${token}`);
socket.binaryType = "arraybuffer";
socket.onmessage = ({ data }) => {
  if (typeof data === "string") return;
  const view = new DataView(data);
  if (view.getUint32(0, true) !== 2) return;
  document.getElementById("time").textContent = `${view.getFloat64(16, true).toFixed(3)} s`;
  socket.send(JSON.stringify({ type: "ack", frame: view.getUint32(8, true) }));
};
