import type { TransactionReceipt } from 'ethers'
import type { GasReservation } from '../admission/account-openings.ts'
import { traceOf } from '../log.ts'
import type { Services } from '../services.ts'

type Write = (
  name: string,
  args: readonly unknown[],
  options: { writeId: string },
) => Promise<TransactionReceipt>

/**
 * Settles the gas reservation. If a failed write may still cost gas, the reservation is kept.
 * @param work sends its writes through the given `write`
 */
export async function gasPaid<Result>(
  reserved: GasReservation,
  { writer, log }: Pick<Services, 'writer' | 'log'>,
  work: (write: Write) => Promise<Result>,
): Promise<Result> {
  const tried: string[] = []
  const write: Write = async (name, args, options) => {
    tried.push(options.writeId)
    const receipt = await writer.write(name, args, options)
    // The write is mined, so a failure to record its cost must not hide the result.
    await reserved.cost(receipt.gasUsed * receipt.gasPrice).catch((error: unknown) => {
      log('gas.cost_not_counted', { cause: traceOf(error) })
    })
    return receipt
  }
  try {
    return await work(write)
  } catch (error) {
    const recorded = await Promise.all(tried.map((writeId) => writer.wasRecorded(writeId)))
    if (!recorded.includes(true))
      await reserved.refused().catch((failure: unknown) => {
        log('gas.not_given_back', { cause: traceOf(failure) })
      })
    throw error
  }
}
