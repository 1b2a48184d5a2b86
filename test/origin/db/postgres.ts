/** A Postgres server of its own for a test, where the machine has one installed. */
import { execFileSync } from 'node:child_process'
import { chownSync, existsSync, mkdtempSync, readdirSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

const DEBIAN = '/usr/lib/postgresql'
const folders = existsSync(DEBIAN)
  ? readdirSync(DEBIAN).map((name) => join(DEBIAN, name, 'bin'))
  : []
const bin = [...folders, ...(globalThis.process.env.PATH ?? '').split(':')].find(
  (folder) => existsSync(join(folder, 'initdb')) && existsSync(join(folder, 'pg_ctl')),
)
const root = globalThis.process.getuid?.() === 0
const nobody = root ? userId('nobody') : undefined

/** Why the tests that need Postgres are skipped; `undefined` where they are not. */
export const whyNoPostgres =
  bin === undefined
    ? '(skipped: Postgres is not installed)'
    : root && nobody === undefined
      ? '(skipped: Postgres refuses root, and there is no other user)'
      : undefined

export async function startPostgres(): Promise<{ url: string; close(): Promise<void> }> {
  const folder = mkdtempSync(join(tmpdir(), 'svc-postgres-'))
  const data = join(folder, 'data')
  if (nobody !== undefined) chownSync(folder, nobody, nobody)
  run('initdb', ['-D', data, '-U', 'svc', '-A', 'trust', '--no-sync', '-E', 'UTF8'])
  // A socket in the folder, and no port: nothing to collide with.
  const options = `-c listen_addresses='' -c unix_socket_directories='${folder}' -c fsync=off`
  run('pg_ctl', ['-D', data, '-w', '-l', join(folder, 'log'), '-o', options, 'start'])
  return {
    url: `postgres://svc@localhost/postgres?host=${encodeURIComponent(folder)}`,
    close: async () => {
      run('pg_ctl', ['-D', data, '-w', '-m', 'immediate', 'stop'])
      rmSync(folder, { recursive: true, force: true })
    },
  }
}

function run(program: string, args: string[]): void {
  const path = join(bin!, program)
  const [command, all] = root ? ['runuser', ['-u', 'nobody', '--', path, ...args]] : [path, args]
  // What it starts keeps its output open: none of it is ours to wait for.
  execFileSync(command, all, { stdio: 'ignore', cwd: tmpdir() })
}

function userId(name: string): number | undefined {
  try {
    return Number(execFileSync('id', ['-u', name], { encoding: 'utf8' }))
  } catch {
    return undefined
  }
}
