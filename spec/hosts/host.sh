#!/usr/bin/env bash
# A turnwire host in bash and jq:  host.sh PROMPT [FLAG...]   (TURNWIRE: the command, if not `turnwire`)
fifo=$(mktemp -u) && mkfifo -m 600 "$fifo" || exit
${TURNWIRE:-turnwire} run --answers-fd 3 --max-line-bytes 0 "${@:2}" -- "$1" 3<"$fifo" |
  while IFS= read -r line; do
    case $(jq -r '.type + " " + (.port // .kind // "")' <<<"$line") in
      "delta text") jq -j .text <<<"$line" ;;
      "human_request confirm") jq -r '.message, .data.lines[]' <<<"$line" >&2
        jq -c '{type: "answer", id, action: "accept"} + (.metadata | {arguments_sha256})' <<<"$line" >&3 ;;
    esac
  done 3>"$fifo"
code=${PIPESTATUS[0]}; rm "$fifo"; exit "$code"
