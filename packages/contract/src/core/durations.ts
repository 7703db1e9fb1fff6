/** Spans of time: their lengths, and one form in words for pages, terminals and findings. */

/** Milliseconds of a second, a minute, an hour, a day of 24 hours, and a week of such days. */
export const secondMs = 1_000;
export const minuteMs = 60 * secondMs;
export const hourMs = 60 * minuteMs;
export const dayMs = 24 * hourMs;
export const weekMs = 7 * dayMs;

// In words spans are seconds; a second is the finest unit.
const [minute, hour, day] = [60, 3_600, 86_400];

const units = [
  { seconds: day, text: "d" },
  { seconds: hour, text: "h" },
  { seconds: minute, text: "min" },
  { seconds: 1, text: "s" },
] as const;

/** The two largest units of a span, rounded down: `2 h 14 min`, `3 min 1 s`, `45 s`. A negative span counts as positive. */
export function formatDuration(seconds: number): string {
  const whole = Math.floor(Math.abs(seconds));
  const first = units.findIndex((unit) => whole >= unit.seconds);
  if (first === -1) return "0 s";
  const parts = units.slice(first, first + 2).map(({ seconds: size, text }, index) => {
    const larger = units[first]?.seconds ?? size;
    return { count: Math.floor((index === 0 ? whole : whole % larger) / size), text };
  });
  return parts
    .filter(({ count }) => count > 0)
    .map(({ count, text }) => `${count} ${text}`)
    .join(" ");
}

/** How far one clock is ahead of another: `+2 h 14 min`; `-` where it is behind. */
export const formatOffset = (seconds: number): string => `${seconds <= -1 ? "-" : "+"}${formatDuration(seconds)}`;

/** Seconds in the largest unit that still shows the age. */
export function formatAge(seconds: number): string {
  if (seconds < 2 * minute) return `${Math.round(seconds)} s`;
  if (seconds < 2 * hour) return `${Math.round(seconds / minute)} min`;
  return seconds < 2 * day ? `${Math.round(seconds / hour)} h` : `${Math.round(seconds / day)} d`;
}

/** An instant as seen from another of the same clock: `in 2 min`, `5 min ago`, `now` within a second. */
export function formatRelative(at: Date, now: Date): string {
  const seconds = (at.getTime() - now.getTime()) / 1000;
  if (Math.abs(seconds) < 1) return "now";
  return seconds > 0 ? `in ${formatAge(seconds)}` : `${formatAge(-seconds)} ago`;
}

/** What is left of a span, as `2:05`, or as `1:02:05` from one hour on. */
export function formatCountdown(seconds: number): string {
  const pad = (value: number) => String(value).padStart(2, "0");
  const [hours, minutes] = [Math.floor(seconds / hour), Math.floor(seconds / minute) % minute];
  return hours > 0 ? `${hours}:${pad(minutes)}:${pad(seconds % minute)}` : `${minutes}:${pad(seconds % minute)}`;
}
