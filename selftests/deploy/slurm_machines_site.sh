# SPDX-License-Identifier: Apache-2.0
# shellcheck shell=bash
# Sourced in the machines of slurm_machines.sh, which have the same configuration.

SITE=/var/lib/slurm-site
NODES='n1 n2'
ADDRESS_n1=10.9.1.2 ADDRESS_n2=10.9.2.2
CONTROLLER='ctl(10.9.1.1)'
. selftests/deploy/slurm_site.sh

# As if installed, with the same keys and templates everywhere.
cp -a "$OUT"/bin/wd* /usr/local/bin/
cp -a "$OUT"/lib/*.so* /usr/local/lib/
ldconfig
PATH=/usr/local/bin:$PATH:/usr/sbin
printf '%s\n' '10.9.1.1 ctl' '10.9.1.2 n1' '10.9.2.2 n2' >>/etc/hosts

set_up() {
	mkdir -p $SITE
	systemctl stop munge slurmctld slurmd 2>/dev/null || :
	cp "$SHARED/munge.key" "$SHARED/templates" $SITE/
	chown root $SITE/munge.key
	site_config 4
}
