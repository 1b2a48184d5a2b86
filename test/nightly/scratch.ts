/**
 * Temporary folder of the pieces. Every process of a piece has it as `TMPDIR` or in its command line, which identifies
 * processes left by a killed run.
 */
import { createHash } from 'node:crypto'
import { mkdirSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'

/** Killed processes disappear within milliseconds, or once the kernel has written their memory to disk. */
const KILL_MS = 10_000

/** One folder per checkout. The path is short, because Unix sockets are created in it. */
export function scratchOf(root: string): string {
  const hash = createHash('sha256').update(root).digest('hex').slice(0, 8)
  return join(tmpdir(), `svc-nightly-${hash}`)
}

/** Kills all processes of a piece, and empties the folder. */
export async function clearScratch(folder: string): Promise<void> {
  const deadline = performance.now() + KILL_MS
  // Repeats until no process is left, because one may start another in the meantime.
  for (let pids = pidsIn(folder); pids.length > 0; pids = pidsIn(folder)) {
    if (performance.now() > deadline) throw new Error(`processes do not end: ${pids.join(', ')}`)
    for (const pid of pids) kill(pid)
    await sleep(50)
  }
  rmSync(folder, { recursive: true, force: true })
  mkdirSync(folder, { recursive: true })
}

function kill(pid: number): void {
  try {
    process.kill(pid, 'SIGKILL')
  } catch {
    // The process has exited.
  }
}

function pidsIn(folder: string): number[] {
  // Postgres is started with a separate environment, but with a data folder in here.
  const isIn = (pid: string) =>
    textOf(pid, 'environ').includes(`\0TMPDIR=${folder}\0`) ||
    textOf(pid, 'cmdline').includes(`${folder}/`)
  return readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name) && isIn(name))
    .map(Number)
}

/** Text with a NUL before and after each entry. */
function textOf(pid: string, file: 'environ' | 'cmdline'): string {
  try {
    return `\0${readFileSync(`/proc/${pid}/${file}`, 'utf8')}`
  } catch {
    return '' // The process has exited or belongs to another user.
  }
}
