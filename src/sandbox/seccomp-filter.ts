/**
 * What system calls a sandbox refuses (seccomp(2)): those that reach what no namespace of it holds. Keys of the user's session
 * are in the kernel, whatever files are hidden. In a control group namespace of its own a command could mount the control groups
 * of its run, and freeze or end it. Sockets of most kinds know no network namespace: those of a virtual machine (vsock(7)) lead to
 * the machine around it. Nested sandboxes inherit the filter. Pure.
 */

interface Numbers {
	/** Of the architecture, in linux/audit.h. */
	readonly audit: number;
	readonly keys: readonly number[];
	/** Its flags lie in memory, where no filter sees them: C libraries take clone(2) where it is missing. */
	readonly clone3: number;
	readonly socket: number;
	/** Other ways to make a socket, whose arguments lie in memory: socketcall(2) of 32 bits, io_uring_setup(2). */
	readonly hiddenSockets: readonly number[];
	/** Calls whose first argument has flags of clone(2). */
	readonly cloning: readonly number[];
}

const X64: Numbers = {
	audit: 0xc000003e,
	keys: [248, 249, 250],
	clone3: 435,
	socket: 41,
	hiddenSockets: [425],
	cloning: [56, 272],
};
const I386: Numbers = {
	audit: 0x40000003,
	keys: [286, 287, 288],
	clone3: 435,
	socket: 359,
	hiddenSockets: [102, 425],
	cloning: [120, 310],
};
const ARM64: Numbers = {
	audit: 0xc00000b7,
	keys: [217, 218, 219],
	clone3: 435,
	socket: 198,
	hiddenSockets: [425],
	cloning: [220, 97],
};
const ARM: Numbers = {
	audit: 0x40000028,
	keys: [309, 310, 311],
	clone3: 435,
	socket: 281,
	hiddenSockets: [102, 425],
	cloning: [120, 337],
};
const BY_ARCHITECTURE: Readonly<Record<string, readonly Numbers[]>> = { x64: [X64, I386], arm64: [ARM64, ARM] };

const CLONE_NEWCGROUP = 0x02000000;
const X32 = 0x40000000; // the bit of a third set of numbers on x64, for the same calls
const SOCKET_FAMILIES = [1, 2, 10, 16]; // AF_UNIX, AF_INET, AF_INET6, AF_NETLINK
const [EPERM, ENOSYS, EAFNOSUPPORT] = [1, 38, 97];
const ALLOW = 0x7fff0000;
const refuse = (errno: number) => 0x00050000 | errno;

/** An instruction of linux/filter.h: code, where to go when it holds and when not, value. */
type Instruction = readonly [number, number, number, number];
const load = (offset: number): Instruction => [0x20, 0, 0, offset]; // in struct seccomp_data
const isEqual = (value: number, otherwise: number): Instruction => [0x15, 0, otherwise, value];
const isAtLeast = (value: number, otherwise: number): Instruction => [0x35, 0, otherwise, value];
const hasBits = (value: number, otherwise: number): Instruction => [0x45, 0, otherwise, value];
const answer = (value: number): Instruction => [0x06, 0, 0, value];
const [NUMBER, ARCHITECTURE, FIRST_ARGUMENT] = [0, 4, 16];

/** The filter for bwrap's `--seccomp`; undefined for an architecture whose numbers are not known here. */
export function seccompFilter(architecture: string): Buffer | undefined {
	const known = BY_ARCHITECTURE[architecture];
	if (known === undefined) return undefined;
	const instructions = [load(ARCHITECTURE), ...known.flatMap(forNumbers), answer(refuse(ENOSYS))];
	return Buffer.concat(instructions.map(bytesOf));
}

function forNumbers({ audit, keys, clone3, socket, hiddenSockets, cloning }: Numbers): Instruction[] {
	const families = [
		load(FIRST_ARGUMENT),
		...SOCKET_FAMILIES.flatMap((family) => [isEqual(family, 1), answer(ALLOW)]),
		answer(refuse(EAFNOSUPPORT)),
	];
	const body = [
		load(NUMBER),
		...(audit === X64.audit ? [isAtLeast(X32, 1), answer(refuse(ENOSYS))] : []),
		...[...keys, clone3, ...hiddenSockets].flatMap((number) => [isEqual(number, 1), answer(refuse(ENOSYS))]),
		...cloning.flatMap((number) => [
			isEqual(number, 4),
			load(FIRST_ARGUMENT),
			hasBits(CLONE_NEWCGROUP, 1),
			answer(refuse(EPERM)),
			answer(ALLOW),
		]),
		isEqual(socket, families.length),
		...families,
		answer(ALLOW),
	];
	return [isEqual(audit, body.length), ...body];
}

function bytesOf([code, then, otherwise, value]: Instruction): Buffer {
	const bytes = Buffer.alloc(8);
	bytes.writeUInt16LE(code, 0);
	bytes.writeUInt8(then, 2);
	bytes.writeUInt8(otherwise, 3);
	bytes.writeUInt32LE(value >>> 0, 4);
	return bytes;
}
