/**
 * Figures that a test passes on with `task.meta`. Vitest's JSON report contains them, and the nightly run records them.
 */
export type Figures = Record<string, number>

declare module 'vitest' {
  interface TaskMeta {
    figures?: Figures
  }
}

/** Adds figures up by name. Of a name that begins with `max `, it takes the largest value. */
export function added(all: readonly Figures[]): Figures {
  const total: Figures = {}
  for (const [name, value] of all.flatMap((figures) => Object.entries(figures))) {
    const before = total[name]
    if (before === undefined) total[name] = value
    else total[name] = name.startsWith('max ') ? Math.max(before, value) : before + value
  }
  return total
}
