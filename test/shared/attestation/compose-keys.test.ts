import { describe, expect, it } from 'vitest'
import { imagesRule } from '../../../shared/attestation/rules/images.ts'

const PINNED = `registry.example/a/b:1.2@sha256:${'0'.repeat(64)}`

function judged(text: string) {
  const app_compose = JSON.stringify({ docker_compose_file: text })
  return imagesRule({ app_id: '', compose_hash: '', tcb_info: { app_compose } })
}

describe('images that are pinned pass', () => {
  it.each([
    ['plainly', `services:\n  a:\n    image: ${PINNED}`],
    ['in double quotes', `services:\n  a:\n    image: "${PINNED}"`],
    ['in single quotes', `services:\n  a:\n    image: '${PINNED}'`],
    ['with a comment behind', `services:\n  a:\n    image: ${PINNED} # image: b`],
    ['under a key in quotes', `services:\n  a:\n    "image": ${PINNED}`],
    ['in a list', `- image: ${PINNED}\n- image: ${PINNED}`],
    ['with lines of another system', `services:\r\n  a:\r\n    image: ${PINNED}\r\n`],
    ['beside a comment of an image', `# image: b\nservices:\n  a:\n    image: ${PINNED}`],
    [
      'beside lists, escapes and a script',
      `services:\n  a:\n    image: ${PINNED}\n    ports: ["80:80", '443:443']\n    test: ["CMD", "sh -c \\"x\\""]\n    command: |\n      image: b\n      it's\n    labels:\n      - "a: b"\n      - c=it's\n`,
    ],
    ['with an anchor and a merge', `x: &x\n  image: ${PINNED}\nservices:\n  a:\n    <<: *x`],
  ])('%s', (_, text) => {
    expect(judged(text).outcome).toBe('passed')
  })
})

describe('an image that is not pinned can not hide', () => {
  it.each([
    ['plainly', 'image: b'],
    ['by a tag alone', 'image: b:1.2'],
    ['by a short digest', 'image: b@sha256:00'],
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

  it('by being the only one', () => {
    expect(() => judged('services:\n  a:\n    restart: always')).toThrow('has no images')
  })

  it('in an app_compose without a compose file', () => {
    const app_compose = '{"runner":"bash","bash_script":"docker run b"}'
    const info = { app_id: '', compose_hash: '', tcb_info: { app_compose } }
    expect(() => imagesRule(info)).toThrow('has no docker_compose_file')
  })
})

describe('a script beside the images', () => {
  it('is named as open', () => {
    const compose = { docker_compose_file: `image: ${PINNED}`, pre_launch_script: 'x' }
    const tcb_info = { app_compose: JSON.stringify(compose) }
    const { open } = imagesRule({ app_id: '', compose_hash: '', tcb_info })
    expect(open).toEqual([expect.stringContaining('pre_launch_script')])
  })
})

describe('a text that takes long to read', () => {
  // Read in every way that they can be, these take longer than a test has.
  it.each([
    ['of quotes', `x: [${"''".repeat(100_000)}{`],
    ['of spaces', `x: [${' '.repeat(200_000)}{`],
    ['of items', `x: [${"'a',".repeat(50_000)}{`],
  ])('is refused at once: a list %s', (_, text) => {
    expect(() => judged(text)).toThrow('list that is not plain')
  })
})
