/**
 * `npm run image -- [--base <layout>] [--output <folder>] [--commit <hash>]`: builds the origin's image reproducibly.
 * Without a base image, prints only the digest of the application layer, which is the only layer that differs between
 * versions. By default, the commit is the one of the checkout; the option is for sources without a repository.
 */
import { createWriteStream } from 'node:fs'
import { mkdir } from 'node:fs/promises'
import { join } from 'node:path'
import { Writable } from 'node:stream'
import { fileURLToPath } from 'node:url'
import { parseArgs } from 'node:util'
import { commitSchema } from '../../../shared/config/settings.ts'
import { sourceCommit } from '../../../shared/packaging/source-commit.ts'
import { buildSandboxBundles } from '../../actions/bundles.ts'
import { COMMIT_FILE } from '../../version.ts'
import { writeLayer } from './layer.ts'
import { writeImage } from './oci.ts'
import { nodeVersion, runtimeFiles } from './runtime-files.ts'

/** Digest of `docker.io/library/node:24.21.0-bookworm-slim`, an index with an image for linux/amd64. */
const BASE_DIGEST = 'sha256:0e0ff40c39bc087845bfb27465a0df4ea419520094bc35842ff83dd8cbe6f9b6'

const root = fileURLToPath(new URL('../../..', import.meta.url))

async function build(): Promise<void> {
  const { values } = parseArgs({
    options: {
      base: { type: 'string' },
      output: { type: 'string', default: 'image' },
      commit: { type: 'string' },
    },
  })
  await buildSandboxBundles()
  const commit = commitSchema.parse(values.commit ?? (await sourceCommit(root)))
  const files = runtimeFiles(root)
  const generated = { [COMMIT_FILE]: `${commit}\n` }
  console.log(`commit ${commit}`)
  if (values.base === undefined) {
    const nowhere = new Writable({ write: (_chunk, _encoding, done) => done() })
    const { digest, size } = await writeLayer(root, files, nowhere, generated)
    console.log(`layer ${digest} (${files.length} files, ${size} bytes)`)
    console.log(`image: --base is required: an OCI layout of ${BASE_DIGEST} (docs/deploy.md)`)
    return
  }
  const { base, output } = values
  // `mkdir` fails if the folder exists, so that no files are overwritten.
  await mkdir(output)
  const layerFile = join(output, 'layer.tar')
  const layer = await writeLayer(root, files, createWriteStream(layerFile), generated)
  const image = await writeImage({
    base,
    baseDigest: BASE_DIGEST,
    layer,
    layerFile,
    output,
    nodeVersion: nodeVersion(root),
  })
  console.log(`layer ${layer.digest} (${files.length} files, ${layer.size} bytes)`)
  console.log(`image ${image}`)
}

if (import.meta.main) await build()
