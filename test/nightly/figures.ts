/**
 * Figures that a test reports through `task.meta`. Vitest's JSON report includes them, and the nightly run records
 * them.
 */
export type Figures = Record<string, number>

declare module 'vitest' {
  interface TaskMeta {
    figures?: Figures
  }
}

/** Sums figures by name. For names that start with `max `, takes the maximum. */
export function added(all: readonly Figures[]): Figures {
  const total: Figures = {}
  for (const [name, value] of all.flatMap((figures) => Object.entries(figures))) {
    const before = total[name]
    if (before === undefined) total[name] = value
    else total[name] = name.startsWith('max ') ? Math.max(before, value) : before + value
  }
  return total
}
