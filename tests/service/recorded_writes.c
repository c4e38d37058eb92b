/* Preloaded into a process, notes everything that it writes below a folder, and every sync, in their order.
 *
 * RECORDED_FOLDER is the folder, RECORDED_TO the file for the notes. A note is a line
 *     KIND\tPATH\tOFFSET\tLENGTH\n
 * and after a write its LENGTH bytes. Files that are mapped into memory are not noted: of SQLite that is the
 * index of its log, which is made anew after a crash.
 */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#define FILES 4096
static char *names[FILES]; /* of open files below the folder */
static int notes = -1;
static pthread_mutex_t turn = PTHREAD_MUTEX_INITIALIZER;

static void note(const char *kind, const char *path, long offset, long length, const void *data) {
    char line[8192];
    if (notes < 0) notes = syscall(SYS_openat, AT_FDCWD, getenv("RECORDED_TO"), O_WRONLY | O_CREAT | O_APPEND, 0600);
    int size = snprintf(line, sizeof line, "%s\t%s\t%ld\t%ld\n", kind, path, offset, length);
    syscall(SYS_write, notes, line, size);
    if (data) syscall(SYS_write, notes, data, length);
}

static int below(const char *path) {
    const char *folder = getenv("RECORDED_FOLDER");
    return folder && path && !strncmp(path, folder, strlen(folder));
}

static const char *name_of(int file) { return file >= 0 && file < FILES ? names[file] : NULL; }

static int opened(int file, const char *path, int flags, int existed) {
    if (file >= 0 && file < FILES && below(path)) {
        free(names[file]);
        names[file] = strdup(path);
        if ((flags & O_CREAT) && !existed) note("create", path, 0, 0, NULL);
        if (flags & O_TRUNC) note("truncate", path, 0, 0, NULL);
    }
    return file;
}

static int open_as(int folder, const char *path, int flags, mode_t mode) {
    struct stat found;
    pthread_mutex_lock(&turn);
    int existed = below(path) && !stat(path, &found);
    int file = opened(syscall(SYS_openat, folder, path, flags, mode), path, flags, existed);
    pthread_mutex_unlock(&turn);
    return file;
}

#define MODE(flags) \
    mode_t mode = 0; \
    if ((flags) & (O_CREAT | O_TMPFILE)) { va_list more; va_start(more, flags); mode = va_arg(more, mode_t); va_end(more); }
int open(const char *path, int flags, ...) { MODE(flags) return open_as(AT_FDCWD, path, flags, mode); }
int open64(const char *path, int flags, ...) { MODE(flags) return open_as(AT_FDCWD, path, flags | O_LARGEFILE, mode); }
int openat(int folder, const char *path, int flags, ...) { MODE(flags) return open_as(folder, path, flags, mode); }
int openat64(int folder, const char *path, int flags, ...) { MODE(flags) return open_as(folder, path, flags, mode); }

int close(int file) {
    pthread_mutex_lock(&turn);
    if (name_of(file)) { free(names[file]); names[file] = NULL; }
    int found = syscall(SYS_close, file);
    pthread_mutex_unlock(&turn);
    return found;
}

static ssize_t written(int file, const void *data, size_t length, off_t offset, int at) {
    pthread_mutex_lock(&turn);
    if (name_of(file) && !at) {
        offset = syscall(SYS_lseek, file, 0, SEEK_CUR);
        if (syscall(SYS_fcntl, file, F_GETFL) & O_APPEND) offset = syscall(SYS_lseek, file, 0, SEEK_END);
    }
    ssize_t found = at ? syscall(SYS_pwrite64, file, data, length, offset) : syscall(SYS_write, file, data, length);
    if (name_of(file) && found > 0) note("write", name_of(file), offset, found, data);
    pthread_mutex_unlock(&turn);
    return found;
}
ssize_t write(int file, const void *data, size_t length) { return written(file, data, length, 0, 0); }
ssize_t pwrite(int file, const void *data, size_t length, off_t at) { return written(file, data, length, at, 1); }
ssize_t pwrite64(int file, const void *data, size_t length, off64_t at) { return written(file, data, length, at, 1); }

static int done(int file, const char *kind, int number, long given) {
    pthread_mutex_lock(&turn);
    int found = syscall(number, file, given);
    if (name_of(file) && !found) note(kind, name_of(file), 0, number == SYS_ftruncate ? given : 0, NULL);
    pthread_mutex_unlock(&turn);
    return found;
}
int fsync(int file) { return done(file, "sync", SYS_fsync, 0); }
int fdatasync(int file) { return done(file, "sync", SYS_fdatasync, 0); }
int ftruncate(int file, off_t length) { return done(file, "truncate", SYS_ftruncate, length); }
int ftruncate64(int file, off64_t length) { return done(file, "truncate", SYS_ftruncate, length); }

int unlink(const char *path) {
    pthread_mutex_lock(&turn);
    int found = syscall(SYS_unlinkat, AT_FDCWD, path, 0);
    if (!found && below(path)) note("unlink", path, 0, 0, NULL);
    pthread_mutex_unlock(&turn);
    return found;
}
