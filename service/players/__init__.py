"""Who plays: names, accounts and the tokens that speak for them."""
