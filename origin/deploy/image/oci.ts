/**
 * Writes an OCI image layout (image-spec 1.1) that consists of a base image and one additional layer, with the origin
 * as the entry point.
 */
import { hash } from 'node:crypto'
import { copyFile, mkdir, readFile, rename, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { z } from 'zod'
import { ORIGIN_NODE_OPTIONS } from '../../node-options.ts'
import { APP_FOLDER, type Layer } from './layer.ts'

const INDEX = 'application/vnd.oci.image.index.v1+json'
const MANIFEST = 'application/vnd.oci.image.manifest.v1+json'
const CONFIG = 'application/vnd.oci.image.config.v1+json'
const PLAIN_LAYER = 'application/vnd.oci.image.layer.v1.tar'

const digestSchema = z.string().regex(/^sha256:[0-9a-f]{64}$/, 'expected a sha256 digest')
const descriptorSchema = z.object({
  mediaType: z.string(),
  digest: digestSchema,
  size: z.number().int(),
  platform: z.object({ architecture: z.string(), os: z.string() }).optional(),
})
type Descriptor = z.infer<typeof descriptorSchema>
const indexSchema = z.object({ manifests: z.array(descriptorSchema) })
const manifestSchema = z.object({
  mediaType: z.literal(MANIFEST),
  config: descriptorSchema,
  layers: z.array(descriptorSchema),
})
const configSchema = z.looseObject({
  architecture: z.literal('amd64'),
  os: z.literal('linux'),
  config: z.looseObject({ Env: z.array(z.string()).default([]) }),
  rootfs: z.object({ type: z.literal('layers'), diff_ids: z.array(digestSchema) }),
  history: z.array(z.unknown()).default([]),
})

/** Command that starts the origin. */
const ENTRYPOINT = ['node', ...ORIGIN_NODE_OPTIONS, 'origin/main.ts']
const CREATED = '1970-01-01T00:00:00Z'

type ImageParts = {
  /** Folder that contains the base image as an OCI layout. */
  base: string
  /** Digest of the base image's manifest, or of an index that lists the manifest. */
  baseDigest: string
  layer: Layer
  /** File that contains the layer. It is moved, and so must be on the same file system as `output`. */
  layerFile: string
  output: string
  nodeVersion: string
}

/**
 * @returns the digest of the image's manifest, for use in `image: …@sha256:…`
 * @throws {Error} if the base image has another digest or another version of Node
 */
export async function writeImage({ base, output, layer, ...parts }: ImageParts): Promise<string> {
  const manifest = await readBaseManifest(base, parts.baseDigest)
  const config = configSchema.parse(await readJsonBlob(base, manifest.config.digest))
  const env = config.config.Env
  if (!env.includes(`NODE_VERSION=${parts.nodeVersion}`))
    throw new Error(`the base image does not have Node ${parts.nodeVersion}`)

  await mkdir(join(output, 'blobs/sha256'), { recursive: true })
  for (const { digest } of manifest.layers) await copyBlob(base, output, digest)
  await rename(parts.layerFile, blobPath(output, layer.digest))

  const ours = await writeBlob(output, CONFIG, {
    ...config,
    created: CREATED,
    config: {
      ...config.config,
      Env: [...env.filter((entry) => !entry.startsWith('NODE_ENV=')), 'NODE_ENV=production'],
      WorkingDir: `/${APP_FOLDER}`,
      Entrypoint: ENTRYPOINT,
      Cmd: null,
    },
    rootfs: { ...config.rootfs, diff_ids: [...config.rootfs.diff_ids, layer.digest] },
    history: [...config.history, { created: CREATED, created_by: 'npm run image' }],
  })
  const image = await writeBlob(output, MANIFEST, {
    schemaVersion: 2,
    mediaType: MANIFEST,
    config: ours,
    layers: [...manifest.layers, { mediaType: PLAIN_LAYER, ...layer }],
    annotations: { 'org.opencontainers.image.base.digest': parts.baseDigest },
  })
  await writeFile(join(output, 'oci-layout'), '{"imageLayoutVersion":"1.0.0"}')
  await writeFile(
    join(output, 'index.json'),
    JSON.stringify({ schemaVersion: 2, mediaType: INDEX, manifests: [image] }),
  )
  return image.digest
}

async function readBaseManifest(base: string, digest: string) {
  const known = await readJsonBlob(base, digest)
  const index = indexSchema.safeParse(known)
  if (!index.success) return manifestSchema.parse(known)
  const here = index.data.manifests.find(
    ({ platform }) => platform?.os === 'linux' && platform.architecture === 'amd64',
  )
  if (!here) throw new Error(`${digest} has no image for linux/amd64`)
  return manifestSchema.parse(await readJsonBlob(base, here.digest))
}

const blobPath = (layout: string, digest: string) =>
  join(layout, 'blobs', digestSchema.parse(digest).replace(':', '/'))

const digestOf = (bytes: Uint8Array) => `sha256:${hash('sha256', bytes)}`

/** Reads a blob and verifies its digest, because nothing in the base image is trusted. */
async function readBlob(layout: string, digest: string): Promise<Buffer> {
  const bytes = await readFile(blobPath(layout, digest)).catch((error: unknown) => {
    throw new Error(`the base image does not have ${digest}`, { cause: error })
  })
  if (digestOf(bytes) !== digest)
    throw new Error(`a blob of the base image does not match its digest ${digest}`)
  return bytes
}

async function readJsonBlob(layout: string, digest: string): Promise<unknown> {
  return JSON.parse((await readBlob(layout, digest)).toString('utf8'))
}

async function copyBlob(from: string, to: string, digest: string): Promise<void> {
  await readBlob(from, digest)
  await mkdir(dirname(blobPath(to, digest)), { recursive: true })
  await copyFile(blobPath(from, digest), blobPath(to, digest))
}

async function writeBlob(layout: string, mediaType: string, value: unknown): Promise<Descriptor> {
  const bytes = Buffer.from(JSON.stringify(value))
  const digest = digestOf(bytes)
  await writeFile(blobPath(layout, digest), bytes)
  return { mediaType, digest, size: bytes.length }
}
