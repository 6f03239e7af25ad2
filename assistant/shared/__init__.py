"""What every package here may use: settings, the user's folders, safe text, files written whole."""
