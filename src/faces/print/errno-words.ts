/** What an error of the file system means to who named the file. */
const WORDS: Readonly<Record<string, string>> = {
	EACCES: "permission denied",
	EDQUOT: "the disk is full",
	ENAMETOOLONG: "its name is too long",
	ENOENT: "its directory does not exist",
	ENOSPC: "the disk is full",
	ENOTDIR: "part of the path is a file",
	EPERM: "permission denied",
	EROFS: "the file system is read-only",
};

export function errnoWords(code: string): string {
	return WORDS[code] ?? code;
}
