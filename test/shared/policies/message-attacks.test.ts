/** Attempts to get a message or a digest past a policy, and requests of a kind without a rule. */
import { SIGNING_INPUT_MAX_BYTES } from '../../../shared/limits.ts'
import { testFamilies } from './attack-families.ts'
import { ACTION, allowing, PAYROLL, policyOf, transaction } from './requests.ts'
import { typedData } from './typed-data-requests.ts'

testFamilies({
  'messages with a prefix': {
    policy: allowing({
      kind: 'message',
      messages: [{ prefix: 'Sign in to example.com as ' }, { equals: 'OK' }],
    }),
    allowed: [
      ['a message with the prefix', { kind: 'message', message: 'Sign in to example.com as bob' }],
      [
        'the same as bytes',
        {
          kind: 'message',
          bytes: `0x${Buffer.from('Sign in to example.com as bob').toString('hex')}`,
        },
      ],
      ['the exact message', { kind: 'message', message: 'OK' }],
      ['the exact message as a list of bytes', { kind: 'message', bytes: [0x4f, 0x4b] }],
      [
        'a message of two lines',
        { kind: 'message', message: 'Sign in to example.com as bob\r\nnonce: 1' },
      ],
    ],
    attacks: [
      [
        'another message',
        { kind: 'message', message: 'Sign in to example.org as bob' },
        'message_not_allowed',
      ],
      [
        'the prefix in the middle',
        { kind: 'message', message: '> Sign in to example.com as bob' },
        'message_not_allowed',
      ],
      [
        'a look-alike prefix',
        { kind: 'message', message: 'Sign in to ехample.com as bob' },
        'message_not_allowed',
      ],
      [
        'a prefix with a zero-width space',
        { kind: 'message', message: 'Sign in to \u200bexample.com as bob' },
        'message_not_allowed',
      ],
      [
        'a byte order mark in front',
        { kind: 'message', message: '\ufeffSign in to example.com as bob' },
        'message_not_allowed',
      ],
      [
        'a prefix in lower case',
        { kind: 'message', message: 'sign in to example.com as bob' },
        'message_not_allowed',
      ],
      [
        'a message that continues an exact one',
        { kind: 'message', message: 'OK!' },
        'message_not_allowed',
      ],
      ['an empty message', { kind: 'message', message: '' }, 'message_not_allowed'],
      ['a hash', { kind: 'message', bytes: `0x${'ab'.repeat(32)}` }, 'message_not_allowed'],
      [
        'a hash as a text, which is not the hash',
        { kind: 'message', message: `0x${'ab'.repeat(32)}` },
        'message_not_allowed',
      ],
      [
        'a control character behind the prefix',
        { kind: 'message', message: 'Sign in to example.com as \u0000' },
        'binary_message',
      ],
      [
        'an escape sequence behind the prefix',
        { kind: 'message', message: 'Sign in to example.com as \u001b[2K' },
        'binary_message',
      ],
      [
        'bytes behind the prefix',
        {
          kind: 'message',
          bytes: `0x${Buffer.from('Sign in to example.com as ').toString('hex')}ff`,
        },
        'binary_message',
      ],
      [
        'a lone surrogate',
        { kind: 'message', message: 'Sign in to example.com as \udfff' },
        'invalid_text',
      ],
      ['a text and bytes', { kind: 'message', message: 'OK', bytes: '0xff' }, 'malformed_request'],
      ['neither text nor bytes', { kind: 'message' }, 'malformed_request'],
      ['a list of texts', { kind: 'message', message: ['OK'] }, 'malformed_request'],
      ['bytes with an odd number of digits', { kind: 'message', bytes: '0xfff' }, 'invalid_hex'],
      [
        'exhaustion: a long message',
        { kind: 'message', message: 'é'.repeat(SIGNING_INPUT_MAX_BYTES / 2 + 1) },
        'data_too_long',
      ],
    ],
  },
  'rules that deny messages': {
    policy: policyOf({
      version: 1,
      rules: [
        {
          name: 'block',
          effect: 'deny',
          kind: 'message',
          messages: [{ prefix: 'Transfer ' }, { equals: 'OK' }],
        },
        { name: 'all', effect: 'allow', kind: 'message', messages: 'any', binary: true },
      ],
    }),
    allowed: [['another message', { kind: 'message', message: 'hello' }]],
    attacks: [
      ['the denied prefix', { kind: 'message', message: 'Transfer 5' }, 'denied_by_rule'],
      [
        'the denied prefix as bytes',
        { kind: 'message', bytes: `0x${Buffer.from('Transfer 5').toString('hex').toUpperCase()}` },
        'denied_by_rule',
      ],
      [
        'the denied prefix in bytes that are not text',
        { kind: 'message', bytes: `0x${Buffer.from('Transfer ').toString('hex')}ff` },
        'denied_by_rule',
      ],
      ['the denied text as bytes', { kind: 'message', bytes: '0x4f4b' }, 'denied_by_rule'],
    ],
  },
  'any message': {
    policy: allowing({ kind: 'message', messages: 'any' }),
    allowed: [
      ['a text', { kind: 'message', message: 'hello' }],
      ['a text of 31 characters', { kind: 'message', message: 'a'.repeat(31) }],
    ],
    attacks: [
      [
        'a Safe’s transaction: its hash as a message',
        { kind: 'message', bytes: `0x${'ab'.repeat(32)}` },
        'binary_message',
      ],
      [
        'a hash that was searched for, until it is text',
        { kind: 'message', message: 'a'.repeat(32) },
        'binary_message',
      ],
      ['bytes that are not UTF-8', { kind: 'message', bytes: '0xc3' }, 'binary_message'],
    ],
  },
  digests: {
    policy: allowing({ kind: 'digest', actions: [ACTION] }),
    allowed: [['a digest', { kind: 'digest', digest: `0x${'ab'.repeat(32)}` }]],
    attacks: [
      [
        'another action',
        { kind: 'digest', digest: `0x${'ab'.repeat(32)}` },
        'action_not_allowed',
        { action: null },
      ],
      ['31 bytes', { kind: 'digest', digest: `0x${'ab'.repeat(31)}` }, 'invalid_hex'],
      [
        'a transaction beside the digest',
        { kind: 'digest', digest: `0x${'ab'.repeat(32)}`, transaction: {} },
        'unknown_field',
      ],
      ['a transaction, which needs a rule of its kind', transaction(), 'no_rule'],
    ],
  },
  'kinds without a rule': {
    policy: policyOf(PAYROLL),
    allowed: [['a transaction', transaction()]],
    attacks: [
      [
        'the transaction as a digest',
        { kind: 'digest', digest: `0x${'ab'.repeat(32)}` },
        'no_rule',
      ],
      ['the transaction as a message', { kind: 'message', message: 'hello' }, 'no_rule'],
      ['the transfer as a permit', typedData(), 'no_rule'],
    ],
  },
})
