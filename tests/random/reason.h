/* The reason of a message: its first words, without the names and numbers of one program. */
#ifndef RANDOM_REASON_H
#define RANDOM_REASON_H

enum { REASON_LENGTH = 72 };

void reason_of(const char *message, char out[REASON_LENGTH]);

#endif
