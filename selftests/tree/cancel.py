#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""No thread of a library is cancelled while it holds a lock: nothing would release it any more.

This program reads the C files as text, in order: where a function takes and releases locks, where it switches
cancellation off, and which functions it calls. It also follows calls through members of structs and through parameters,
inline functions of headers, and functions that macros define, whose names are in part the macro's arguments. A block
that ends with a jump has no effect on the text behind it.
"""

import glob
import os
import re
import sys

TOP = os.environ.get("TOP") or os.path.join(os.path.dirname(os.path.abspath(__file__)), "../..")
PLACES = ("user/libwd/*", "user/libhisi_qm", "user/algs/*", "user/drivers/*")

# Cancellation points of pthreads(7): those that these libraries may use, and wrappers of them.
POINTS = set("""
accept close closedir connect creat eventfd_read eventfd_write epoll_wait epoll_pwait fclose fcntl fdatasync fgets fopen
fread fsync fwrite getline msync nanosleep open openat opendir poll ppoll pread pselect pthread_cond_timedwait
pthread_cond_wait pthread_join pthread_timedjoin_np pthread_testcancel pwrite read readdir readv recv recvfrom recvmsg
select send sendmsg sendto sleep system usleep waitid waitpid write writev
""".split())
TAKES = {"pthread_mutex_lock", "pthread_mutex_timedlock", "pthread_mutex_trylock", "wd_lock", "wd_trylock"}
GIVES = {"pthread_mutex_unlock", "wd_unlock"}

ROUNDS = 40
FUNCTION = re.compile(r"^[A-Za-z_][^\n;=]*?\b(\w+)\(([^;{}]*)\)\n\{\n(.*?)^\}", re.M | re.S)
PARAMETER = re.compile(r"(?:\(\*|_fn \*)(\w+)")
NAME = re.compile(r"\b[A-Za-z_]\w*")
ATTRIBUTE = re.compile(r"__attribute__\(\((?:[^()]|\([^()]*\))*\)\)\s*")
NOISE = re.compile(r'/\*.*?\*/|//[^\n]*|"(?:\\.|[^"\\])*"|\'(?:\\.|[^\'\\])\'', re.S)
TOKEN = re.compile(r"(->|\.)?\b([A-Za-z_]\w*)\s*\((?=([^()]*))|[{}]|\b(?:return|goto|break|continue)\b")
MEMBER = re.compile(r"\.(\w+)\s*=\s*&?(\w+)\b")


class Function:
    def __init__(self, name, file, body, parameters):
        self.name, self.file, self.parameters = name, file, parameters  # those that are functions
        self.given = {}  # the functions that callers pass in them, by id
        self.tokens = list(TOKEN.finditer(body))
        self.locks = 0  # more locks held at the end than at the beginning
        self.switch = 0  # cancellation at the end: off (1), restored after another function (-1), or unchanged (0)
        self.point = False  # contains a cancellation point, if cancellation was on before
        self.off = True  # cancellation is always off when it begins


class Program:
    """The functions of C sources, {file name: text}."""

    def __init__(self, sources, public):
        self.functions, self.members, self.statics = {}, {}, {}
        texts = {file: self.plain(text) for file, text in sources.items()}
        for file, text in texts.items():
            for name, args, body in FUNCTION.findall(text):
                function = Function(name, file, body, set(PARAMETER.findall(args)))
                static = self.is_static(text, name)
                self.functions[(file if static else "", name)] = function
                if static:
                    self.statics.setdefault(name, []).append(function)
            for member, name in MEMBER.findall(text):
                self.members.setdefault(member, set()).add((file, name))
        self.public = public
        while any([self.give(f) for f in self.functions.values()]):
            pass
        # Functions that call each other may never agree.
        for _ in range(ROUNDS):
            if not any([self.summarize(f) for f in self.functions.values()]):
                break
        self.find_entries()

    @staticmethod
    def plain(text):
        """Without comments, strings and attributes; the functions in macros look like others."""
        text = NOISE.sub(lambda m: "\"\"" if m[0][0] == '"' else " ", text)
        return re.sub(r"[ \t]*\\\n", "\n", ATTRIBUTE.sub("", text)).replace("##", "__")

    def give(self, f):
        """Notes the functions that f passes to others."""
        more = False
        for m in f.tokens:
            for g in self.callees(f, m) if m[2] else ():
                if not g.parameters:
                    continue
                for name in NAME.findall(m[3]):
                    functions = f.given.values() if name in f.parameters else self.named(f.file, name)
                    more |= any(id(h) not in g.given for h in functions)
                    g.given.update((id(h), h) for h in functions)
        return more

    @staticmethod
    def is_static(text, name):
        return re.search(rf"^(?:static|WD_INLINE)[^\n;]*\b{name}\(", text, re.M)

    def named(self, file, name):
        """The function; or all candidates of headers."""
        found = self.functions.get((file, name)) or self.functions.get(("", name))
        if found:
            return [found]
        return [g for g in self.statics.get(name, ()) if g.file.endswith(".h")]

    def callees(self, f, match):
        if match[1]:
            return [g for file, name in self.members.get(match[2], ()) for g in self.named(file, name)]
        if match[2] in f.parameters:
            return list(f.given.values())
        return self.named(f.file, match[2])

    @staticmethod
    def is_point(match, f):
        """fcntl() is one only where it waits for a lock."""
        return match[2] in POINTS - f.parameters and (match[2] != "fcntl" or "SETLKW" in match[3])

    def walk(self, f, off):
        """(callees, is a point itself, locks held, cancellation is off, name) for each call, in order."""
        held, earlier, blocks, jumped = 0, (), [], False
        f.restores = 0  # more than it has itself switched off
        for m in f.tokens:
            word, name = m[0].strip(), m[2]
            if word == "{":
                blocks.append((held, off, earlier))
                jumped = False
            elif word == "}":
                before = blocks.pop() if blocks else (held, off, earlier)
                if jumped:
                    held, off, earlier = before
                jumped = False
            elif not name:
                jumped = bool(blocks)
            elif not m[1] and name in TAKES | GIVES:
                held += 1 if name in TAKES else -1
            else:
                callees, switch = [], 0
                if m[1] or name != "pthread_setcancelstate":
                    callees = self.callees(f, m)
                    yield callees, not m[1] and not callees and self.is_point(m, f), held, off, name
                    held += callees[0].locks if callees else 0
                    switch = callees[0].switch if callees else 0
                else:
                    switch = 1 if "PTHREAD_CANCEL_DISABLE" in m[3] else -1
                if switch > 0:
                    off, earlier = True, earlier + (off,)
                elif switch < 0:
                    f.restores += not earlier
                    off, earlier = (earlier[-1], earlier[:-1]) if earlier else (False, ())
        f.end = (held, len(earlier) - min(f.restores, 1))

    def summarize(self, f):
        before = (f.locks, f.switch, f.point)
        calls = list(self.walk(f, False))
        f.point = any(not off and (point or any(g.point for g in callees)) for callees, point, _, off, _ in calls)
        f.locks, f.switch = f.end
        return before != (f.locks, f.switch, f.point)

    def find_entries(self):
        called = {id(g) for f in self.functions.values() for callees, *_ in self.walk(f, True) for g in callees}
        for f in self.functions.values():
            f.off = id(f) in called and f.name not in self.public
        changed = True
        while changed:
            changed = False
            for f in self.functions.values():
                for callees, _, _, off, _ in self.walk(f, f.off):
                    for g in callees:
                        if not off and g.off:
                            g.off, changed = False, True

    def violations(self):
        for f in self.functions.values():
            for callees, point, held, off, name in self.walk(f, f.off):
                if held > 0 and not off and (point or any(g.point for g in callees)):
                    yield f"{f.file}: {f.name}() calls {name}() with a lock, and can be cancelled there"


def libraries():
    sources, public = {}, set()
    for place in PLACES:
        for file in glob.glob(os.path.join(TOP, place, "*.[ch]")):
            with open(file, encoding="utf-8") as text:
                sources[os.path.relpath(file, TOP)] = text.read()
        for file in glob.glob(os.path.join(TOP, place, "*.map")):
            with open(file, encoding="utf-8") as text:
                public |= set(re.findall(r"^\s+(\w+);", text.read(), re.M))
    return Program(sources, public)


# Each program breaks the rule in one way, and the check must report it.
WRONG = {
    "a point itself": "int f(int fd)\n{\n\tpthread_mutex_lock(&l);\n\tclose(fd);\n\tpthread_mutex_unlock(&l);\n}\n",
    "through a function": "static void g(int fd)\n{\n\teventfd_write(fd, 1);\n}\n\n"
                          "int f(int fd)\n{\n\twd_lock(&l);\n\tg(fd);\n\twd_unlock(&l);\n}\n",
    "through a member": "static void g(int fd)\n{\n\tread(fd, 0, 0);\n}\n\n"
                        "static const struct o o = { .close = g };\n\n"
                        "int f(struct q *q)\n{\n\twd_lock(&l);\n\tq->o.close(1);\n\twd_unlock(&l);\n}\n",
    "through a parameter": "static void g(int fd)\n{\n\tread(fd, 0, 0);\n}\n\n"
                           "static void h(int (*run)(int fd), int fd)\n{\n"
                           "\twd_lock(&l);\n\trun(fd);\n\twd_unlock(&l);\n}\n\n"
                           "void f(int fd)\n{\n\th(g, fd);\n}\n",
    "through a macro": "#define ENTRY(name) \\\nstatic __attribute__((noinline)) void name##_in(int fd) \\\n{ \\\n"
                       "\tread(fd, 0, 0); \\\n}\n#define TABLE(name) .close = name##_in\n\n"
                       "int f(struct q *q)\n{\n\twd_lock(&l);\n\tq->o.close(1);\n\twd_unlock(&l);\n}\n",
    "after a branch that returns": "int f(int fd)\n{\n\twd_lock(&l);\n\tif (fd) {\n"
                                   "\t\twd_unlock(&l);\n\t\treturn 0;\n\t}\n"
                                   "\tclose(fd);\n\twd_unlock(&l);\n}\n",
    "a function that comes back locked": "static void in(void)\n{\n\twd_lock(&l);\n}\n\n"
                                         "int f(int fd)\n{\n\tin();\n\tpoll(0, 0, 1);\n\twd_unlock(&l);\n}\n",
    "a file's lock": "int f(int fd)\n{\n\twd_lock(&l);\n\tfcntl(fd, F_SETLKW, &k);\n\twd_unlock(&l);\n}\n",
    "cancellation is on again": "int f(int fd)\n{\n\tpthread_setcancelstate(PTHREAD_CANCEL_DISABLE, &c);\n"
                                "\twd_lock(&l);\n"
                                "\tpthread_setcancelstate(c, NULL);\n\tclose(fd);\n\twd_unlock(&l);\n}\n",
}
RIGHT = {
    "cancellation is off": "int f(int fd)\n{\n\tpthread_setcancelstate(PTHREAD_CANCEL_DISABLE, &c);\n\twd_lock(&l);\n"
                           "\tclose(fd);\n\twd_unlock(&l);\n\tpthread_setcancelstate(c, NULL);\n}\n",
    "a caller has switched it off": "static void g(int fd)\n{\n\twd_lock(&l);\n\tclose(fd);\n\twd_unlock(&l);\n}\n\n"
                                    "int f(int fd)\n{\n\tpthread_setcancelstate(PTHREAD_CANCEL_DISABLE, &c);\n"
                                    "\tg(fd);\n"
                                    "\tpthread_setcancelstate(c, NULL);\n}\n",
    "after the lock": "int f(int fd)\n{\n\twd_lock(&l);\n\twd_unlock(&l);\n\tclose(fd);\n}\n",
    "a file's flags": "int f(int fd)\n{\n\twd_lock(&l);\n\tfcntl(fd, F_GETFL);\n\twd_unlock(&l);\n}\n",
    "a system call": "int f(int fd)\n{\n\twd_lock(&l);\n\tsyscall(SYS_write, fd, 0, 0);\n\twd_unlock(&l);\n}\n",
    "with functions for both ends": "static int in(void)\n{\n"
                                    "\tpthread_setcancelstate(PTHREAD_CANCEL_DISABLE, &c);\n\twd_lock(&l);\n"
                                    "\treturn c;\n}\n\nstatic void out(int c)\n{\n\twd_unlock(&l);\n"
                                    "\tpthread_setcancelstate(c, NULL);\n}\n\n"
                                    "int f(int fd)\n{\n\tint c = in(), d = in();\n\n"
                                    "\tclose(fd);\n\tout(d);\n\tclose(fd);\n\tout(c);\n}\n",
}


def missed():
    for title, text in WRONG.items():
        if not list(Program({"x.c": text}, {"f"}).violations()):
            yield f"not found: {title}"


def invented():
    for title, text in RIGHT.items():
        for line in Program({"x.c": text}, {"f"}).violations():
            yield f"{title}: {line}"


CHECKS = [
    ("the rule finds what it is for", missed),
    ("the rule leaves alone what is right", invented),
    ("no library can be cancelled with a lock held", lambda: sorted(set(libraries().violations()))),
]


def main():
    failed = 0
    print(f"1..{len(CHECKS)}")
    for nr, (title, check) in enumerate(CHECKS, 1):
        wrong = list(check())
        for line in wrong:
            print(f"# {line}")
        print(f"{'not ok' if wrong else 'ok'} {nr} - {title}")
        failed += bool(wrong)
    return failed > 0


if __name__ == "__main__":
    sys.exit(main())
