/** How much this process computes while `act` runs, in milliseconds. What else the machine does meanwhile does not count. */
export function cpuMs(act: () => void): number {
	const before = process.cpuUsage();
	act();
	const { user, system } = process.cpuUsage(before);
	return (user + system) / 1000;
}
