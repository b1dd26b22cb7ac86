#!/usr/bin/env bash
# A turnwire host in bash and jq:  host.sh PROMPT [FLAG...]   (TURNWIRE: the command, if not `turnwire`)
fifo=$(mktemp -u) && mkfifo -m 600 "$fifo" && trap 'rm "$fifo"' EXIT || exit
${TURNWIRE:-turnwire} run --answers-fd 3 --max-line-bytes 0 "${@:2}" -- "$1" 3<"$fifo" |
  jq --unbuffered -r 'if .port == "text" then "text \(.text | tojson)"
                      elif .kind == "confirm" then "ask \(tojson)" else empty end' |
  while IFS=' ' read -r what value; do
    case $what in
      text) jq -j . <<<"$value" ;;
      ask) jq -r '.message, .data.lines[]' <<<"$value" >&2
        jq -c '{type: "answer", id, action: "accept"}' <<<"$value" >&3 ;;
    esac
  done 3>"$fifo"
exit "${PIPESTATUS[0]}"
