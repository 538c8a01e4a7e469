"""What reading an invoice means here: pure rules over words and where they stand."""
