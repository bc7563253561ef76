/* A file of waves that is closed, as its format has it (GTKWave's manual, "FST file format"): a header, then blocks,
 * each with its kind and its length. */
#ifndef VT_DEVICE_RTL_WAVE_FILE_H
#define VT_DEVICE_RTL_WAVE_FILE_H

#include <stdint.h>

/* How many signals it has; 0 also when it cannot be read. */
uint64_t vt_wave_file_signals(const char *path);
/* Takes the last blocks of changes away until the file has at most `bytes`; their times end it earlier. Gives the
 * blocks that are left, and -1 when the file cannot be read or written. */
int64_t vt_wave_file_cut(const char *path, uint64_t bytes);

#endif
