type Close = () => Promise<void>
type Running = { closing: Promise<Close>; projects: number }

/** Each project of a run loads its set-up separately, in one process. */
const KEY = Symbol.for('svc.test.doubles')

/** Starts a double for the first project that needs it, and closes it with the last. */
export async function forAllProjects(name: string, start: () => Promise<Close>): Promise<Close> {
  const known = ((globalThis as Record<symbol, unknown>)[KEY] ??= new Map()) as Map<string, Running>
  const running = known.get(name) ?? { closing: start(), projects: 0 }
  known.set(name, running)
  running.projects++
  await running.closing
  return async () => {
    if (--running.projects > 0) return
    known.delete(name)
    await (
      await running.closing
    )()
  }
}
