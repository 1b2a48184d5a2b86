import { createHash } from 'node:crypto'
import { readFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { Transform, type Writable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { pack as newPack } from 'tar-stream'

export type Layer = { digest: string; size: number }

export const APP_FOLDER = 'app'

/** Fixed values of header fields, so that the owner and times of files in the checkout have no effect. */
const FIXED_HEADER = { uid: 0, gid: 0, uname: '', gname: '', mtime: new Date(0) }
const FILE_MODE = 0o644
const FOLDER_MODE = 0o755

/**
 * Writes a layer as an uncompressed tar. It is not compressed, because gzip's output differs between versions and the
 * digest must be the same for everyone.
 * @param files paths relative to `root`, in any order
 * @param generated contents of further files, by path
 */
export async function writeLayer(
  root: string,
  files: readonly string[],
  output: Writable,
  generated: Readonly<Record<string, string>> = {},
): Promise<Layer> {
  const pack = newPack()
  const hash = createHash('sha256')
  let size = 0
  const meter = new Transform({
    transform(chunk: Buffer, _encoding, done) {
      hash.update(chunk)
      size += chunk.length
      done(null, chunk)
    },
  })
  const add = async () => {
    const paths = [...new Set([...files, ...Object.keys(generated)])].toSorted(byBytes)
    for (const folder of foldersOf(paths))
      pack.entry({ ...FIXED_HEADER, name: `${folder}/`, type: 'directory', mode: FOLDER_MODE })
    for (const path of paths) {
      const content = generated[path]
      await entry(
        path,
        content === undefined ? await readFile(join(root, path)) : Buffer.from(content),
      )
    }
    pack.finalize()
  }
  const entry = (path: string, content: Buffer) =>
    new Promise<void>((done, fail) => {
      const header = { ...FIXED_HEADER, name: `${APP_FOLDER}/${path}`, mode: FILE_MODE }
      pack.entry(header, content, (error) => (error ? fail(error) : done()))
    })
  await Promise.all([add(), pipeline(pack, meter, output)])
  return { digest: `sha256:${hash.digest('hex')}`, size }
}

/** Returns the folders that contain the files, with parents before their subfolders. */
function foldersOf(files: readonly string[]): string[] {
  const folders = new Set<string>([APP_FOLDER])
  for (const file of files)
    for (let folder = dirname(file); folder !== '.'; folder = dirname(folder))
      folders.add(`${APP_FOLDER}/${folder}`)
  return [...folders].toSorted(byBytes)
}

export const byBytes = (a: string, b: string) => Buffer.compare(Buffer.from(a), Buffer.from(b))
