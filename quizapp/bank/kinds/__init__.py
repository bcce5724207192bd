"""The kinds of question, a file for each way of answering. `quizapp.bank.models` lists them."""
