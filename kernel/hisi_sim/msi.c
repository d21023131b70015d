// SPDX-License-Identifier: GPL-2.0-or-later
/* Message interrupts of simulated functions: an interrupt domain below the PCI/MSI layer. */
/*
 * Lock		protects		taken under
 * msi->lock	used			any lock whose holder may sleep
 * fn->lock	msi_base, msi_todo	see config.c
 *
 * x86's vector domain has no multi-message MSI, hence the inner domain.
 */
#include <linux/irq.h>
#include <linux/irqdesc.h>
#include <linux/msi.h>

#include "internal.h"

static void inner_ack(struct irq_data *data)
{
}

static void inner_compose(struct irq_data *data, struct msi_msg *msg)
{
	/* The address is never decoded: the data alone identifies the line. */
	msg->address_hi = 0;
	msg->address_lo = 0xfee00000;
	msg->data = data->hwirq;
}

static int inner_set_affinity(struct irq_data *data, const struct cpumask *mask, bool force)
{
	return -EINVAL;
}

static struct irq_chip inner_chip = {
	.name = "hisi_sim",
	.irq_ack = inner_ack,
	.irq_compose_msi_msg = inner_compose,
	.irq_set_affinity = inner_set_affinity,
};

/* The vectors of a function differ only in the low bits of the data, so blocks are aligned. */
static int inner_alloc(struct irq_domain *domain, unsigned int virq, unsigned int nr, void *arg)
{
	struct sim_msi *msi = domain->host_data;
	unsigned int i;
	int hwirq;

	mutex_lock(&msi->lock);
	hwirq = bitmap_find_free_region(msi->used, msi->lines, order_base_2(nr));
	mutex_unlock(&msi->lock);
	if (hwirq < 0)
		return -ENOSPC;
	for (i = 0; i < nr; i++)
		irq_domain_set_info(domain, virq + i, hwirq + i, &inner_chip, msi,
				    handle_edge_irq, NULL, NULL);
	return 0;
}

static void inner_free(struct irq_domain *domain, unsigned int virq, unsigned int nr)
{
	struct irq_data *data = irq_domain_get_irq_data(domain, virq);
	struct sim_msi *msi = domain->host_data;
	irq_hw_number_t first = data->hwirq;
	unsigned int i;

	for (i = 0; i < nr; i++)
		irq_domain_reset_irq_data(irq_domain_get_irq_data(domain, virq + i));
	mutex_lock(&msi->lock);
	bitmap_release_region(msi->used, first, order_base_2(nr));
	mutex_unlock(&msi->lock);
}

static const struct irq_domain_ops inner_ops = {
	.alloc = inner_alloc,
	.free = inner_free,
};

/* In hard interrupt context: calls the handlers of the lines. */
static void msi_deliver(struct irq_work *work)
{
	struct sim_fn *fn = container_of(work, struct sim_fn, msi_work);
	unsigned long todo, flags;
	unsigned int base, bit;

	raw_spin_lock_irqsave(&fn->lock, flags);
	base = fn->msi_base;
	todo = fn->msi_todo;
	fn->msi_todo = 0;
	raw_spin_unlock_irqrestore(&fn->lock, flags);
	for_each_set_bit(bit, &todo, BITS_PER_LONG)
		generic_handle_domain_irq(fn->sdev->msi.inner, base + bit);
}

int sim_msi_init(struct sim_dev *sdev)
{
	struct sim_msi *msi = &sdev->msi;
	unsigned int i;

	for (i = 0; i < sdev->nr_fns; i++)
		sdev->fns[i].msi_work = IRQ_WORK_INIT_HARD(msi_deliver);
	mutex_init(&msi->lock);
	bitmap_zero(msi->used, SIM_MSI_LINES_MAX);
	msi->lines = SIM_MSI_VECTORS + sdev->shape.vfs * SIM_MSI_VECTORS_VF;
	msi->fwnode = irq_domain_alloc_named_id_fwnode("hisi_sim", sdev->id);
	if (!msi->fwnode)
		goto err_destroy_lock;
	if (sim_msi_domain_init(msi, &inner_ops))
		goto err_free_fwnode;
	return 0;

err_free_fwnode:
	irq_domain_free_fwnode(msi->fwnode);
err_destroy_lock:
	mutex_destroy(&msi->lock);
	return -ENOMEM;
}

void sim_msi_exit(struct sim_dev *sdev)
{
	struct sim_msi *msi = &sdev->msi;
	unsigned int i;

	for (i = 0; i < sdev->nr_fns; i++)
		irq_work_sync(&sdev->fns[i].msi_work);
	sim_msi_domain_exit(msi);
	irq_domain_free_fwnode(msi->fwnode);
	mutex_destroy(&msi->lock);
}

static void queue_vectors(struct sim_fn *fn, unsigned long vectors)
{
	u16 base;

	lockdep_assert_held(&fn->lock);
	vectors = sim_config_msi_filter(fn, vectors, &base);
	if (!vectors)
		return;
	/* Messages to other lines, whose handlers the driver has removed, are lost. */
	if (base != fn->msi_base)
		fn->msi_todo = 0;
	/* The driver can write any value to the data register: the domain ignores lines that it doesn't have. */
	fn->msi_base = base;
	fn->msi_todo |= vectors;
	irq_work_queue(&fn->msi_work);
}

/* Called by the device's control thread for an event of the function. */
void sim_msi_raise(struct sim_fn *fn, unsigned int vector)
{
	unsigned long flags;

	if (vector >= SIM_MSI_VECTORS)
		return;
	raw_spin_lock_irqsave(&fn->lock, flags);
	queue_vectors(fn, BIT(vector));
	raw_spin_unlock_irqrestore(&fn->lock, flags);
}

/* Called with fn->lock held: pending lines may have become deliverable. */
void sim_msi_config_changed(struct sim_fn *fn)
{
	queue_vectors(fn, 0);
}
