import type { TransactionReceipt } from 'ethers'
import type { WriteOptions } from '../accounts/writer.ts'
import type { GasReservation } from '../admission/new-account-limits.ts'
import { errorTrace } from '../log.ts'
import type { OriginServices } from '../services.ts'

type Write = (
  name: string,
  args: readonly unknown[],
  options: WriteOptions & { writeId: string },
) => Promise<TransactionReceipt>

/**
 * Runs `work` and settles the gas reservation. Does not release the reservation if a failed write may still cost gas.
 * @param work sends its writes with the `write` function passed to it
 */
export async function withGasReservation<Result>(
  reservation: GasReservation,
  { writer, log }: Pick<OriginServices, 'writer' | 'log'>,
  work: (write: Write) => Promise<Result>,
): Promise<Result> {
  const writeIds: string[] = []
  const write: Write = async (name, args, options) => {
    writeIds.push(options.writeId)
    const receipt = await writer.write(name, args, options)
    // The write is already mined, so a failure to record its gas cost must not hide the result.
    await reservation.settle(receipt.gasUsed * receipt.gasPrice).catch((error: unknown) => {
      log('gas.cost_not_counted', { cause: errorTrace(error) })
    })
    return receipt
  }
  try {
    return await work(write)
  } catch (error) {
    const recorded = await Promise.all(writeIds.map((writeId) => writer.mayBeRecorded(writeId)))
    if (!recorded.includes(true))
      await reservation.release().catch((failure: unknown) => {
        log('gas.not_given_back', { cause: errorTrace(failure) })
      })
    throw error
  }
}
