package cli_test

func becomeNobody() {}
