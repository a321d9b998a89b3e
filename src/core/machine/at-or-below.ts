/** Whether an absolute path is that of the directory or of what lies in it. Both without a slash at the end. */
export function isAtOrBelow(path: string, directory: string): boolean {
	return path === directory || directory === "/" || path.startsWith(`${directory}/`);
}
