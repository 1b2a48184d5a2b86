/**
 * Linux namespaces for the rehearsal: its own loopback network, on which every port is free and nothing outside can be
 * reached, and its own `/etc/hosts`, so that the names of public services lead to local doubles.
 */
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

/** Folder of the rehearsal, which the process inside the namespaces inherits. */
const FOLDER_VARIABLE = 'REHEARSAL_FOLDER'

const ENTER = `
ip link set lo up
mount --bind "$1" /etc/hosts
shift
exec "$@"`

/** Returns the folder of the rehearsal, or undefined if this process has not entered the namespaces yet. */
export function rehearsalFolder(): string | undefined {
  return process.env[FOLDER_VARIABLE]
}

/**
 * Runs this script again inside new namespaces, and removes its folder afterwards.
 * @param hosts content of `/etc/hosts`
 * @returns the exit code
 */
export async function runInNamespaces(hosts: string): Promise<number> {
  if (process.platform !== 'linux' || process.getuid?.() !== 0) {
    console.error('npm run rehearse needs Linux and root: it creates namespaces and mounts files.')
    return 2
  }
  const folder = mkdtempSync(join(tmpdir(), 'svc-rehearsal-'))
  const hostsFile = join(folder, 'hosts')
  writeFileSync(hostsFile, hosts)
  const own = [process.execPath, ...process.execArgv, ...process.argv.slice(1)]
  const child = spawn(
    'unshare',
    ['--mount', '--net', '--pid', '--fork', '--kill-child', '--mount-proc']
      .concat(['sh', '-ec', ENTER, 'sh', hostsFile])
      .concat(own),
    { stdio: 'inherit', env: { ...process.env, [FOLDER_VARIABLE]: folder, TMPDIR: folder } },
  )
  for (const signal of ['SIGINT', 'SIGTERM'] as const)
    process.on(signal, () => child.kill('SIGKILL'))
  const [code] = (await once(child, 'exit')) as [number | null]
  rmSync(folder, { recursive: true, force: true })
  return code ?? 1
}
