/**
 * An npm registry that serves the packages installed in this checkout, so that a test can run `npm install` in a project
 * without the network. https://github.com/npm/registry/blob/main/docs/responses/package-metadata.md
 */
import { createReadStream, existsSync, readdirSync, readFileSync, statSync } from 'node:fs'
import { createServer, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { pipeline } from 'node:stream/promises'
import { createGzip } from 'node:zlib'
import { pack } from 'tar-stream'

type Manifest = Record<string, unknown> & { name: string; version: string }

export type NpmRegistry = { url: string; close(): Promise<void> }

/**
 * @param root folder with `package-lock.json` and `node_modules`
 * @param more folders of further packages
 */
export async function startNpmRegistry(
  root: string,
  more: readonly string[] = [],
): Promise<NpmRegistry> {
  const packages = [...installedFolders(root), ...more].map((folder) => ({
    folder,
    manifest: JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8')) as Manifest,
  }))
  const server = createServer((request, response) => {
    const path = decodeURIComponent(new URL(request.url ?? '/', url).pathname).slice(1)
    const [name = '', version] = path.split('/-/')
    const known = packages.filter(({ manifest }) => manifest.name === name)
    if (version === undefined) return sendMetadata(response, url, known)
    const found = known.find(({ manifest }) => manifest.version === version)
    if (found === undefined) return void response.writeHead(404).end()
    sendArchive(response, found.folder).catch(() => response.destroy())
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  return {
    url,
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve())
        server.closeAllConnections()
      }),
  }
}

function installedFolders(root: string): string[] {
  const lock = JSON.parse(readFileSync(join(root, 'package-lock.json'), 'utf8')) as {
    packages: Record<string, { name?: string }>
  }
  // An alias such as `ethers-v5` is installed in a folder of another name.
  return Object.entries(lock.packages)
    .filter(([path, { name }]) => path !== '' && name === undefined)
    .map(([path]) => join(root, path))
    .filter((folder) => existsSync(join(folder, 'package.json')))
}

function sendMetadata(
  response: ServerResponse,
  url: string,
  known: readonly { manifest: Manifest }[],
): void {
  const [first] = known
  if (first === undefined) return void response.writeHead(404).end('{"error":"not found"}')
  const { name } = first.manifest
  const versions = Object.fromEntries(
    known.map(({ manifest }) => [
      manifest.version,
      { ...manifest, dist: { tarball: `${url}/${name}/-/${manifest.version}` } },
    ]),
  )
  // The top-level folder comes first in the lockfile.
  const body = { name, 'dist-tags': { latest: first.manifest.version }, versions }
  response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify(body))
}

async function sendArchive(response: ServerResponse, folder: string): Promise<void> {
  response.writeHead(200, { 'content-type': 'application/octet-stream' })
  const archive = pack()
  const sent = pipeline(archive, createGzip({ level: 1 }), response)
  for (const path of filesIn(folder)) {
    const file = join(folder, path)
    const { size, mode } = statSync(file)
    const entry = archive.entry({ name: `package/${path}`, size, mode })
    await pipeline(createReadStream(file), entry)
  }
  archive.finalize()
  await sent
}

function filesIn(folder: string, within = ''): string[] {
  return readdirSync(join(folder, within), { withFileTypes: true }).flatMap((entry) => {
    const path = join(within, entry.name)
    if (entry.isDirectory()) return entry.name === 'node_modules' ? [] : filesIn(folder, path)
    return entry.isFile() ? [path] : []
  })
}
