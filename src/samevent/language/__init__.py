"""What the rest of samevent needs to know about words: annotation, heads, lexicons, vectors, roles."""
