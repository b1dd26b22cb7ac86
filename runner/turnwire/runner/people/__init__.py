"""The person: how open requests reach somebody who can answer them."""
