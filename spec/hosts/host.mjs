// A turnwire host in Node without dependencies:  node host.mjs PROMPT [FLAG...]   (TURNWIRE: the command)
import { spawn } from "node:child_process";
const [command, ...words] = (process.env.TURNWIRE ?? "turnwire").split(" "), [prompt, ...flags] = process.argv.slice(2);
words.push("run", "--answers-fd", "3", "--max-line-bytes", "0", ...flags, "--", prompt);
const child = spawn(command, words, { stdio: ["ignore", "pipe", "inherit", "pipe"] });
const take = ({ type, port, kind, id, text, message, data }) => {
  if (type === "delta" && port === "text") process.stdout.write(text);
  if (type !== "human_request" || kind !== "confirm") return;
  console.error([message, ...data.lines].join("\n"));
  child.stdio[3].write(JSON.stringify({ type: "answer", id, action: "accept" }) + "\n");
};
let rest = "";
child.stdout.setEncoding("utf8").on("data", (piece) => { // not readline: it also splits inside of strings
  const lines = (rest + piece).split("\n");
  rest = lines.pop();
  for (const line of lines) take(JSON.parse(line));
});
child.on("close", (code) => { process.exitCode = code ?? 1; });
