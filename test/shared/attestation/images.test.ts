import { readFileSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import { imagesRule } from '../../../shared/attestation/rules/images.ts'

const PINNED = `registry.example/a/b:1.2@sha256:${'0'.repeat(64)}`

function judged(text: string) {
  const app_compose = JSON.stringify({ docker_compose_file: text })
  return imagesRule({ app_id: '', compose_hash: '', tcb_info: { app_compose } })
}

describe('pinned images pass', () => {
  it.each([
    ['plainly', `services:\n  a:\n    image: ${PINNED}`],
    ['in double quotes', `services:\n  a:\n    image: "${PINNED}"`],
    ['in single quotes', `services:\n  a:\n    image: '${PINNED}'`],
    ['with a comment behind', `services:\n  a:\n    image: ${PINNED} # image: b`],
    ['under a key in quotes', `services:\n  a:\n    "image": ${PINNED}`],
    ['in a list', `x-a:\n- image: ${PINNED}\n- image: ${PINNED}`],
    ['with lines of another system', `services:\r\n  a:\r\n    image: ${PINNED}\r\n`],
    ['beside a comment of an image', `# image: b\nservices:\n  a:\n    image: ${PINNED}`],
    [
      'beside lists, escapes and a script',
      `services:\n  a:\n    image: ${PINNED}\n    ports: ["80:80", '443:443']\n    entrypoint: ["CMD", "sh -c \\"x\\""]\n    command: |\n      image: b\n      it's\n    labels:\n      - "a: b"\n      - c=it's\n`,
    ],
    ['with an anchor and a merge', `x-a: &a\n  image: ${PINNED}\nservices:\n  a:\n    <<: *a`],
  ])('%s', (_, text) => {
    expect(judged(text).outcome).toBe('passed')
  })
})

describe('compose files of real deployments pass', () => {
  it('the compose file of this origin', () => {
    const file = new URL('../../../origin/deploy/docker-compose.yaml', import.meta.url)
    expect(judged(readFileSync(file, 'utf8')).reason).toMatch(/^1 image,/)
  })

  it('a typical compose file for dstack', () => {
    const text = `---
# Ingress and application.
version: '3.8'
x-logging: &logging
  logging:
    driver: json-file
    options: { }
services:
  ingress:
    <<: *logging
    image: ${PINNED}   # the tag is for readers
    restart: "no"
    ports:
    - "443:443"
    - 80:80/tcp
    environment:
      DOMAINS: |
        app.example.com
        image: api.example.com

      ROUTES: >-
        a=b
        c=d
      TOKEN: \${TOKEN:-}
      image_name: nginx
    volumes:
      - /var/run/dstack.sock:/var/run/dstack.sock
      - type: bind
        source: /data
        target: /data
        read_only: true
    depends_on:
      app:
        condition: service_healthy
  app:
    image: '${PINNED}'
    command:
      - --host=0.0.0.0
      - --name=\${NAME}
    entrypoint: [sh, -c, "echo \\"it's\\" # up"]
    healthcheck:
      test: ["CMD-SHELL", "curl -f http://localhost:80/ || exit 1"]
    labels:
      traefik.http.routers.app.rule: "Host(\`a.example\`)"
    deploy:
      resources:
        reservations:
          devices:
            - driver: nvidia
              count: 1
              capabilities: [gpu]
volumes:
  models:
  data:
    driver_opts:
      type: nfs
`
    expect(judged(text).reason).toMatch(/^2 images/)
  })
})

/** Compose files with additional lines in the service, and at the end. */
const serviceWith = (lines: string) =>
  `services:\n  a:\n    image: ${PINNED}\n${lines.replace(/^/gm, '    ')}\n`
const fileWith = (lines: string) => `services:\n  a:\n    image: ${PINNED}\n${lines}\n`

describe('mounts of type image are rejected', () => {
  const mount = (type: string, above = '') =>
    `${above}services:\n  a:\n    image: ${PINNED}\n    volumes:\n    - source: b\n      target: /b\n${type}\n`

  it.each(['      type: bind', "      type: 'volume'", '      "type": tmpfs # for files'])(
    'except mounts of another type: %s',
    (type) => {
      expect(judged(mount(type)).outcome).toBe('passed')
    },
  )

  it.each([
    ['plainly', '      type: image'],
    ['in quotes', '      "type": "image"'],
    ['behind an escape', '      type: "im\\x61ge"'],
    ['behind an escape in the key', '      "t\\u0079pe": image'],
    ['on the next line', '      type:\n        image'],
    ['on the next line, in quotes', '      type:\n        "image"'],
    ['in a block of text', '      type: |-\n        image'],
    ['in a folded block of text', '      type: >-\n        image'],
    ['behind a tag', '      type: !!str image'],
    ['behind an anchor', '      type: &t image'],
    ['by a variable', '      type: ${TYPE}'],
    ['by a variable with a default', '      type: "${TYPE:-image}"'],
    ['in other letters', '      type: Image'],
    ['as nothing', '      type:'],
    ['as a list', '      type: [image]'],
    ['behind a marked key', '      ? type\n      : image'],
    ['after another type', '      type: bind\n      type: image'],
    ['in braces', '      <<: {type: image}'],
    ['behind a return', '      type: bind #\r      type: image'],
    ['behind a line end of another kind', '      type: bind #\u2028      type: image'],
  ])('%s', (_, type) => {
    expect(() => judged(mount(type))).toThrow(/^line \d+ /)
  })

  it.each([
    ['an alias', '      type: *t', 'x-t: &t image\n'],
    ['an alias of a variable', '      type: *t', 'x-t: &t $TYPE\n'],
    ['a merge', '      <<: *t', 'x-t: &t\n  type: image\n'],
    ['a list of merges', '      <<: [*u, *t]', 'x-u: &u\n  a: b\nx-t: &t\n  type: image\n'],
    ['an anchor that is set again', '      type: *t', 'x-t: &t bind\nx-u: &t image\n'],
  ])('hidden by %s', (_, type, above) => {
    expect(() => judged(mount(type, above))).toThrow(/^line \d+ /)
  })
})

describe('attributes that can bring in unpinned content are rejected', () => {
  it.each([
    ['a model', fileWith('models:\n  m:\n    model: ai/b')],
    ['a model of a service', serviceWith('models:\n  - m')],
    ['a provider', fileWith('  b:\n    provider:\n      type: model')],
    ['a build', serviceWith('build: .')],
    ['a service of another file', serviceWith('extends:\n  file: b.yaml\n  service: b')],
    ['another file', fileWith('include:\n  - b.yaml')],
    ['files from outside during the run', serviceWith('develop:\n  watch: []')],
    ['the credentials and socket of the engine', serviceWith('use_api_socket: true')],
    ['an attribute of a later version', serviceWith('image_from: b')],
    ['an attribute in other letters', serviceWith('Image: b')],
    ['a section in other letters', fileWith('Services:\n  b:\n    x-a: b')],
    ['a provider in a merge', `x-p: &p\n  provider:\n    type: b\n${serviceWith('<<: *p')}`],
    [
      'a provider in a mapping that is also a mount',
      `x-p: &p\n  type: bind\n  provider: b\n${serviceWith('volumes:\n- *p')}  b: *p\n`,
    ],
  ])('%s', (_, text) => {
    expect(() => judged(text)).toThrow(/^line \d+ .*which could add content that is not pinned/)
  })

  it('services in a variable', () => {
    expect(() => judged(`x-a:\n  image: ${PINNED}\nservices: $A`)).toThrow('is not a mapping')
  })
})

describe('an unpinned image cannot be hidden', () => {
  it.each([
    ['plainly', 'image: b'],
    ['by a tag alone', 'image: b:1.2'],
    ['by a short digest', 'image: b@sha256:00'],
    ['by a digest in upper case', `image: b@sha256:${'A'.repeat(64)}`],
    ['by another digest', `image: b@sha512:${'0'.repeat(64)}`],
    ['by a longer digest', `image: ${PINNED}0`],
    ['by a name with a space that is none', `image: b\u00a0c@sha256:${'0'.repeat(64)}`],
    ['by a digest with a space that is none', `image: ${PINNED}\u00a0`],
    ['by a digest that goes on', `image: ${PINNED}\n  :b`],
    ['behind a block that is indented less', 'a: |\n    b\n  image: b'],
    ['behind a block with an indicator', 'a: |1\n   b\n  image: b'],
    ['behind a block below a longer blank line', 'a: |\n      \n  b\n  image: b'],
    ['behind a block below a tab', 'a: |\n  \tb\n  image: b'],
    ['behind an empty block', 'a: |\nimage: b'],
    ['behind a byte order mark', '\ufeffimage: b'],
    ['behind a directive', '%TAG ! tag:b\nimage: b'],
    ['with an override', 'image: !override b'],
    ['twice', `a:\n  image: ${PINNED}\n  image: b`],
    ['in a merge in quotes', 'a:\n  "<<": {image: b}'],
    ['in an extension', 'x-a:\n  image: b'],
    ['in a hook', 'a:\n  post_start:\n  - image: b'],
    ['by a variable', 'image: ${IMAGE}'],
    ['by a variable as digest', 'image: b@sha256:${DIGEST}'],
    ['on the next line', 'image:\n  b'],
    ['behind an anchor', 'image: &a b'],
    ['behind an alias', 'image: *a'],
    [
      'as a volume of the type image',
      `a:\n  image: ${PINNED}\n  volumes:\n    - type: image\n      source: b`,
    ],
    ['in a pair that is merged', `a:\n  image: ${PINNED}\nb:\n  <<: [image: b]`],
    ['in a pair with quotes', `a:\n  image: ${PINNED}\nb:\n  <<: ["image": b]`],
    ['in a pair without a space', `a:\n  image: ${PINNED}\nb:\n  <<: ["image":b]`],
    ['in a pair behind another item', `a:\n  image: ${PINNED}\nb:\n  <<: [*a, image: b]`],
    ['in a pair that is marked', `a:\n  image: ${PINNED}\nb:\n  <<: [? image : b]`],
    ['behind a tag', 'image: !!str b'],
    ['in a block', 'image: |\n  b'],
    ['under a key in quotes', '"image": b'],
    ['under a key in single quotes', "'image' : b"],
    ['under a key with an escape', '"im\\x61ge": b'],
    ['under a key that is an alias', '*a : b'],
    ['under a key that is marked', '? image\n: b'],
    ['under a key with a tag', '!!str image: b'],
    ['under a key with an anchor', '&a image: b'],
    ['under a key with an anchor of odd letters', '&a.b image: b'],
    ['in a list', '- image: b'],
    ['in a list within a list', '- - image: b'],
    ['in a list behind a tab', '-\timage: b'],
    ['behind a tab', '\timage: b'],
    ['in braces', 'a: {image: b}'],
    ['in braces in a list', '- {image: b}'],
    ['in a list in brackets', 'a: [image: b, {image: b}]'],
    ['in a list in brackets over lines', 'a: [\n"x",\n image: b]'],
    ['behind quotes over lines', 'a: "\n b: |\n "\n image: b'],
    ['behind a comment within quotes over lines', 'a: {b: "\n# ", image: b}'],
    ['behind a block that has ended', 'a: |\n  text\nimage: b'],
    ['behind a block in a list', '- |\n  text\n- image: b'],
    ['behind a space that is none', 'x:\n  a: |\n    t\n\u00a0: 1\n  image: b'],
    ['behind a line end of another kind', '# c\u0085image: b'],
    ['behind a return', '# c\rimage: b'],
    ['in another document', 'a: b\n---\nimage: b'],
    ['as what is built', 'build: .'],
    ['in another file', 'include: b.yaml'],
    ['in a service elsewhere', 'extends: b'],
    ['in JSON', '{"services":{"a":{"image":"b"}}}'],
  ])('%s', (_, hidden) => {
    const text = `services:\n  a:\n    image: ${PINNED}\n${hidden}\n`
    expect(() => judged(text)).toThrow(/line \d+/)
  })

  it('by a file without images', () => {
    expect(() => judged('services:\n  a:\n    restart: always')).toThrow('has no images')
  })

  it('in an app_compose without a compose file', () => {
    const app_compose = '{"runner":"bash","bash_script":"docker run b"}'
    const info = { app_id: '', compose_hash: '', tcb_info: { app_compose } }
    expect(() => imagesRule(info)).toThrow('has no docker_compose_file')
  })
})

describe('a script beside the images', () => {
  it('is reported as open', () => {
    const compose = {
      docker_compose_file: `services:\n  a:\n    image: ${PINNED}`,
      pre_launch_script: 'x',
    }
    const tcb_info = { app_compose: JSON.stringify(compose) }
    const { open } = imagesRule({ app_id: '', compose_hash: '', tcb_info })
    expect(open).toEqual([expect.stringContaining('pre_launch_script')])
  })
})

describe('denial of service: a text that is expensive to parse', () => {
  const count = 20_000
  const lines = (line: (n: number) => string) =>
    Array.from({ length: count }, (_, n) => line(n)).join('\n')

  it('is checked at once: aliases that double at each step', () => {
    const text = lines((n) => (n === 0 ? 'x-0: &x0 a' : `x-${n}: &x${n} [*x${n - 1}, *x${n - 1}]`))
    expect(judged(`${text}\n${fileWith('')}`).outcome).toBe('passed')
  })

  it('is checked at once: merges that double at each step', () => {
    const text = lines((n) => {
      if (n === 0) return 'x-0: &x0\n  tty: true'
      return `x-${n}: &x${n}\n  <<: [*x${n - 1}, *x${n - 1}]`
    })
    expect(judged(`${text}\n${serviceWith(`<<: *x${count - 1}`)}`).outcome).toBe('passed')
  })

  it('is checked at once: services that share a long list', () => {
    const mounts = lines(() => '- type: bind').replace(/^/gm, '  ')
    const services = lines((n) => `  s${n}:\n    volumes: *v`)
    expect(judged(`x-v: &v\n${mounts}\n${fileWith(services)}`).outcome).toBe('passed')
  })

  it('is rejected at once: deep nesting', () => {
    const deep = lines((n) => `${' '.repeat(n % 2000)}a:`)
    expect(() => judged(deep)).toThrow('nested more than')
    expect(() => judged(`a: ${'['.repeat(100_000)}`)).toThrow('list that is not plain')
  })

  // With backtracking, these would exceed the time limit of a test.
  it.each([
    ['of quotes', `x-a: [${"''".repeat(100_000)}{`],
    ['of spaces', `x-a: [${' '.repeat(200_000)}{`],
    ['of items', `x-a: [${"'a',".repeat(50_000)}{`],
  ])('is rejected at once: a list %s', (_, text) => {
    expect(() => judged(text)).toThrow('list that is not plain')
  })
})
