/** Root file systems of the image: the application's layer, on a base of Node, `setpriv` and their libraries. */
import { execFileSync } from 'node:child_process'
import { copyFileSync, createWriteStream, mkdirSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { buildSandboxBundles } from '../../origin/actions/bundles.ts'
import { type Layer, writeLayer } from '../../origin/deploy/image/layer.ts'
import { runtimeFiles } from '../../origin/deploy/image/runtime-files.ts'
import { COMMIT_FILE } from '../../origin/version.ts'
import { ROOT } from './commands.ts'

/** Folders where a machine mounts its file systems. */
const MOUNT_POINTS = ['proc', 'dev', 'tmp', 'state', 'tls']
const SOCKET = 'var/run/dstack.sock'

const SETPRIV = execFileSync('sh', ['-c', 'command -v setpriv'], { encoding: 'utf8' }).trim()

/**
 * Builds the application's layer, and unpacks it.
 * @param commit measured commit; images of different commits have different digests
 * @param authority PEM of the certificate authority that takes the place of the public ones
 */
export async function buildRoot(
  folder: string,
  { commit, authority }: { commit: string; authority: string },
): Promise<Layer> {
  await buildSandboxBundles()
  mkdirSync(folder)
  const tar = `${folder}.tar`
  const generated = { [COMMIT_FILE]: `${commit}\n` }
  const layer = await writeLayer(ROOT, runtimeFiles(ROOT), createWriteStream(tar), generated)
  execFileSync('tar', ['--extract', '--file', tar, '--directory', folder])
  for (const name of MOUNT_POINTS) mkdirSync(join(folder, name))
  for (const program of [process.execPath, SETPRIV]) copyProgram(program, folder)
  const write = (path: string, text: string) => {
    mkdirSync(dirname(join(folder, path)), { recursive: true })
    writeFileSync(join(folder, path), text)
  }
  copyInto('/etc/hosts', folder)
  write('etc/passwd', 'root:x:0:0:root:/:/bin/false\n')
  write('etc/ssl/authority.pem', authority)
  write(SOCKET, '')
  return layer
}

/** Copies a program to `/bin`, and the libraries that it loads to where it finds them. */
function copyProgram(program: string, folder: string): void {
  const libraries = execFileSync('ldd', [program], { encoding: 'utf8' })
  for (const [path] of libraries.matchAll(/\/\S+/g)) copyInto(path, folder)
  copyInto(program, folder, join('/bin', program.split('/').at(-1)!))
}

function copyInto(path: string, folder: string, to = path): void {
  mkdirSync(dirname(join(folder, to)), { recursive: true })
  copyFileSync(path, join(folder, to))
}
