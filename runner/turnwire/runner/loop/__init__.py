"""The heart: takes one input after the other, says what is now true, and keeps workers to what is pending."""
