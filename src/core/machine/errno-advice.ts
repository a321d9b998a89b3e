/** What a system error means and what can be done about it: one table, for the model and for people. */

interface Row {
	/** The meaning, which stands before the code. */
	readonly means: string;
	/** Advice to a model whose command met the error; absent where a model can do nothing. */
	readonly model?: string;
	/** Advice to a person whose run met the error. */
	readonly person?: string;
}

const NO_FILES: Row = {
	means: "too many files are open",
	model: "run fewer commands at the same time, then try again",
	person: "raise ulimit -n",
};
const DENIED: Row = { means: "permission denied", person: "set AGENTREE_HOME to a directory you own" };
const DISK_FULL: Row = {
	means: "the disk is full",
	model: "free some space, then try again",
	person: "free some space, or set AGENTREE_HOME to a directory on another disk",
};

const ROWS: Readonly<Record<string, Row>> = {
	EAGAIN: {
		means: "the system cannot create more processes",
		model: "wait until some of your processes have ended, then try again",
		person: "check ulimit -u and the container's pid limit",
	},
	EMFILE: NO_FILES,
	ENFILE: NO_FILES,
	ENOMEM: {
		means: "the system is out of memory",
		model: "wait until some of your processes have ended, then try again",
	},
	ENOSPC: DISK_FULL,
	EDQUOT: DISK_FULL,
	EACCES: DENIED,
	EPERM: DENIED,
	EROFS: {
		means: "the file system is read-only",
		person: "set AGENTREE_HOME to a writable directory",
	},
	ENOTDIR: { means: "part of the path is a file", person: "set AGENTREE_HOME to a directory" },
	ELOOP: { means: "too many symbolic links", person: "set AGENTREE_HOME to a directory" },
};

/** What the system has run out of, with advice to the model; undefined for any other error. */
export function shortageOf({ code = "" }: NodeJS.ErrnoException): string | undefined {
	const row = ROWS[code];
	return row?.model === undefined ? undefined : `${row.means} (${code}): ${row.model}`;
}

/** Advice to a person on an error in starting a process or in the files of a run; undefined where there is none. */
export function adviceToPerson(code: string): string | undefined {
	const row = ROWS[code];
	return row?.person === undefined ? undefined : `${row.means} (${code}); ${row.person}`;
}
