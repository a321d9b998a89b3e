/**
 * What system calls a sandbox refuses (seccomp(2)): those that reach what no namespace of it holds. Keys of the user's session
 * are in the kernel, whatever files are hidden. In a control group namespace of its own a command could mount the control groups
 * of its run, and freeze or end it. Sockets of most kinds know no network namespace: those of a virtual machine (vsock(7)) lead to
 * the machine around it. A program with the bit of its user or its group, or with a file capability, lends these to whoever runs it outside.
 * Who takes the descriptors of another process (pidfd_getfd(2)) can say in its place how a command has ended. Nested sandboxes inherit the filter. Pure.
 */

interface Numbers {
	/** Of the architecture, in linux/audit.h. */
	readonly audit: number;
	readonly keys: readonly number[];
	readonly socket: number;
	/** Another way to make one, whose arguments lie in memory: socketcall(2) of 32 bits. */
	readonly socketcall?: number;
	/** Calls whose first argument has flags of clone(2). */
	readonly cloning: readonly number[];
	/** Calls that take a mode, each with its place: chmod, fchmod, fchmodat, creat, mknod, mknodat. */
	readonly modes: Readonly<Record<number, number>>;
	/** Calls that take a mode behind their flags, each with the place of those: open, openat. */
	readonly opening: Readonly<Record<number, number>>;
	/** setxattr, lsetxattr, fsetxattr. */
	readonly attributes: readonly number[];
}

const X64: Numbers = {
	audit: 0xc000003e,
	keys: [248, 249, 250],
	socket: 41,
	cloning: [56, 272],
	modes: { 90: 1, 91: 1, 268: 2, 85: 1, 133: 1, 259: 2 },
	opening: { 2: 1, 257: 2 },
	attributes: [188, 189, 190],
};
const I386: Numbers = {
	audit: 0x40000003,
	keys: [286, 287, 288],
	socket: 359,
	socketcall: 102,
	cloning: [120, 310],
	modes: { 15: 1, 94: 1, 306: 2, 8: 1, 14: 1, 297: 2 },
	opening: { 5: 1, 295: 2 },
	attributes: [226, 227, 228],
};
const ARM64: Numbers = {
	audit: 0xc00000b7,
	keys: [217, 218, 219],
	socket: 198,
	cloning: [220, 97],
	modes: { 52: 1, 53: 2, 33: 2 },
	opening: { 56: 2 },
	attributes: [5, 6, 7],
};
const ARM: Numbers = {
	audit: 0x40000028,
	keys: [309, 310, 311],
	socket: 281,
	socketcall: 102,
	cloning: [120, 337],
	modes: { 15: 1, 94: 1, 333: 2, 8: 1, 14: 1, 324: 2 },
	opening: { 5: 1, 322: 2 },
	attributes: [226, 227, 228],
};
const BY_ARCHITECTURE: Readonly<Record<string, readonly Numbers[]>> = { x64: [X64, I386], arm64: [ARM64, ARM] };
/** With one number everywhere. */
const FCHMODAT2 = 452;
const PIDFD_GETFD = 438;
/** What their arguments say lies in memory, where no filter sees it; programs go on without: clone3, io_uring_setup, openat2, setxattrat. */
const UNSEEN = [435, 425, 437, 463];

const SETUID = 0o4000;
const SETGID = 0o2000;
const CREATES = 0x400040; // O_CREAT, and the bit of O_TMPFILE that is its own
const CAPABILITY_SIZES = [20, 24]; // of the values of security.capability (linux/capability.h); a name lies in memory
const CLONE_NEWCGROUP = 0x02000000;
const X32 = 0x40000000; // the bit of a third set of numbers on x64, for the same calls
const SOCKET_FAMILIES = [1, 2, 10, 16]; // AF_UNIX, AF_INET, AF_INET6, AF_NETLINK
const [EPERM, ENOSYS, EOPNOTSUPP, EAFNOSUPPORT] = [1, 38, 95, 97];
const ALLOW = 0x7fff0000;
const refuse = (errno: number) => 0x00050000 | errno;

/** An instruction of linux/filter.h: code, where to go when it holds and when not, value. */
type Instruction = readonly [number, number, number, number];
const load = (offset: number): Instruction => [0x20, 0, 0, offset]; // in struct seccomp_data
const isEqual = (value: number, otherwise: number): Instruction => [0x15, 0, otherwise, value];
const isAtLeast = (value: number, otherwise: number): Instruction => [0x35, 0, otherwise, value];
const hasBits = (value: number, otherwise: number): Instruction => [0x45, 0, otherwise, value];
const answer = (value: number): Instruction => [0x06, 0, 0, value];
const [NUMBER, ARCHITECTURE] = [0, 4];
const argument = (at: number) => load(16 + 8 * at); // its lower half

/**
 * The filter for bwrap's `--seccomp`; undefined for an architecture whose numbers are not known here. `mayShareGroup`: the bit of the
 * group may be set, which a filter cannot tell for directories alone: what is made in one that has it gets it, too, and copies keep it.
 */
export function seccompFilter(architecture: string, { mayShareGroup = false } = {}): Buffer | undefined {
	const known = BY_ARCHITECTURE[architecture];
	if (known === undefined) return undefined;
	const lends = mayShareGroup ? SETUID : SETUID | SETGID;
	const instructions = [
		load(ARCHITECTURE),
		...known.flatMap((numbers) => forNumbers(numbers, lends)),
		answer(refuse(ENOSYS)),
	];
	return Buffer.concat(instructions.map(bytesOf));
}

function forNumbers(
	{ audit, keys, socket, socketcall, cloning, modes, opening, attributes }: Numbers,
	lends: number,
): Instruction[] {
	const families = [
		argument(0),
		...SOCKET_FAMILIES.flatMap((family) => [isEqual(family, 1), answer(ALLOW)]),
		answer(refuse(EAFNOSUPPORT)),
	];
	const body = [
		load(NUMBER),
		...(audit === X64.audit ? [isAtLeast(X32, 1), answer(refuse(ENOSYS))] : []),
		...[...keys, ...UNSEEN, ...(socketcall === undefined ? [] : [socketcall])].flatMap((number) =>
			when(number, [answer(refuse(ENOSYS))]),
		),
		...when(PIDFD_GETFD, [answer(refuse(EPERM))]),
		...cloning.flatMap((number) => when(number, refuseBits(0, CLONE_NEWCGROUP))),
		...Object.entries({ ...modes, [FCHMODAT2]: 2 }).flatMap(([number, at]) =>
			when(Number(number), refuseBits(at, lends)),
		),
		...Object.entries(opening).flatMap(([number, at]) =>
			when(Number(number), [argument(at), hasBits(CREATES, 3), ...refuseBits(at + 1, SETUID | SETGID)]),
		),
		...attributes.flatMap((number) => when(number, [argument(3), ...refuseValues(CAPABILITY_SIZES)])),
		...when(socket, families),
		answer(ALLOW),
	];
	return [isEqual(audit, body.length), ...body];
}

const when = (number: number, then: readonly Instruction[]) => [isEqual(number, then.length), ...then];

function refuseBits(at: number, bits: number): Instruction[] {
	return [argument(at), hasBits(bits, 1), answer(refuse(EPERM)), answer(ALLOW)];
}

/** Of what is loaded. */
function refuseValues(values: readonly number[]): Instruction[] {
	return [...values.flatMap((value) => [isEqual(value, 1), answer(refuse(EOPNOTSUPP))]), answer(ALLOW)];
}

function bytesOf([code, then, otherwise, value]: Instruction): Buffer {
	const bytes = Buffer.alloc(8);
	bytes.writeUInt16LE(code, 0);
	bytes.writeUInt8(then, 2);
	bytes.writeUInt8(otherwise, 3);
	bytes.writeUInt32LE(value >>> 0, 4);
	return bytes;
}
