"""What happens without a request: followers of the feed, and the jobs that play bots' turns."""
